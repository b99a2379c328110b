import type { CatalogTool } from '../../catalog/catalog.js';
import type { EventBus } from '../../events.js';
import type { Format, PreparedCall } from '../../formats/format.js';
import type { CallOptions } from '../options/options.js';
import type { Placed } from './placement.js';
import type { Failure } from './result.js';

export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxCallsPerPlugin: number;
  readonly maxResultBytes: number;
}

/** One call on its way: what was asked, by text that is made once. */
export interface CallSpec {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly place: Placed;
  readonly inputText: string;
  /** What the host tells the tool besides. Absent: the options' context, as it is (`contextText`). */
  readonly context?: PreparedCall['context'] | undefined;
  readonly contextText?: string | undefined;
  readonly options: CallOptions;
  readonly limits: CallLimits;
  readonly events: EventBus;
  /** What has to be done before the plugin may do anything. Where it fails, the call does. */
  readonly beforeEffect?: (() => Promise<void>) | undefined;
}

export function deadlineOf(
  tool: CatalogTool,
  { usualTimeoutMs = Infinity }: Pick<Format, 'usualTimeoutMs'>,
  options: CallOptions,
  limits: CallLimits,
): number {
  const given = options.timeoutMs ?? usualTimeoutMs;
  return Math.max(1, Math.min(tool.timeoutMs, given, limits.timeoutMs));
}

export function tooLate({ id }: CatalogTool, deadlineMs: number): Failure {
  return {
    code: 'DEADLINE_EXCEEDED',
    deadlineMs,
    message: `${id} did not finish within ${deadlineMs} ms and was stopped.`,
  };
}

export function cancelled({ id }: CatalogTool): Failure {
  return { code: 'CANCELLED', message: `The call of ${id} was cancelled.` };
}

export function takenAway({ id, plugin }: CatalogTool): Failure {
  return {
    code: 'PERMISSION_REVOKED',
    message: `${id} was stopped: the permission by which ${plugin} has it was taken away.`,
  };
}
