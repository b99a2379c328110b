import { BulkheadError } from '../errors.js';
import { shellWord } from '../visible.js';

/** What an operator stops: everything, one plugin or remote server, or one tenant. */
export type StopTarget =
  | { readonly everything: true }
  | { readonly plugin: string }
  | { readonly tenant: string };

/** A stop that holds until the operator removes it. */
export interface Stop {
  readonly target: StopTarget;
  /** Who stopped it. */
  readonly by: string;
  readonly reason?: string;
  readonly atMs: number;
}

/**
 * The operator's stops. They are files in `.stops` of the storage directory, so that they hold after a
 * restart. All engines with the same storage directory apply a stop of another process within 250 ms.
 */
export interface Stops {
  /** The stops that hold now, oldest first. */
  list(): readonly Stop[];
  /**
   * Stops everything, a plugin or a tenant, at once: stores the stop, ends the open and queued calls with the
   * code `STOPPED`, withdraws pending and unused approvals, and kills the guests without `shutdown`. New
   * calls, hooks, programs and approvals are refused. A call of a stopped tenant that shares a guest with
   * other tenants is ended as at its deadline. Rejects with `INVALID_OPTIONS` if the stop cannot be stored:
   * it then holds until this engine is closed.
   */
  stop(target: StopTarget, note: StopNote): Promise<void>;
  /** Removes a stop. Resolves with whether there was one. A stop of everything does not end those of plugins. */
  resume(target: StopTarget, note: Pick<StopNote, 'by'>): Promise<boolean>;
}

export interface StopNote {
  /** The name of the person or program that the host authenticated. */
  readonly by: string;
  /** For the operators and the audit log. Default: none. */
  readonly reason?: string;
}

/** Whether a stop covers the work of a plugin for a tenant. */
export function isCovered(
  { target }: Pick<Stop, 'target'>,
  plugin: string,
  tenant: string | undefined,
): boolean {
  if ('everything' in target) return true;
  return 'plugin' in target ? target.plugin === plugin : target.tenant === tenant;
}

/** `everything`, `the plugin notes`, `the tenant acme`. */
export function explainTarget(target: StopTarget): string {
  if ('everything' in target) return 'everything';
  return 'plugin' in target ? `the plugin ${target.plugin}` : `the tenant ${target.tenant}`;
}

/** Why work is refused, as a sentence for callers and models. It does not name the person. */
export function explainStop({ target }: Pick<Stop, 'target'>): string {
  return `The operator stopped ${explainTarget(target)}. To allow it again, the operator runs: bulkhead resume ${wordsOf(target)}`;
}

function wordsOf(target: StopTarget): string {
  if ('everything' in target) return '--everything';
  return 'plugin' in target ? shellWord(target.plugin) : `--tenant ${shellWord(target.tenant)}`;
}

export function stoppedError(stop: Pick<Stop, 'target'>): BulkheadError<'STOPPED'> {
  const stopped = explainTarget(stop.target);
  return new BulkheadError('STOPPED', explainStop(stop), { stopped });
}
