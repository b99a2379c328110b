import type { PluginIdentity } from '../../../sandbox/wire/methods.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { RawJson } from '../../../sandbox/wire/service.js';
import { type BulkheadError, isBulkheadError } from '../../errors.js';
import type { Attribution } from '../attribution.js';
import { explainError } from '../explain-error.js';
import { makeTurnstile } from '../turnstile.js';
import type { LentPower, LentPowers } from './lent.js';
import { POWER_LIMITS, type PowerLimits } from './limits.js';
import { makeRefusals } from './refusals.js';
import { runHandler } from './run.js';

export interface PowerBrokerSpec {
  readonly plugin: PluginIdentity;
  readonly lent: LentPowers;
  /** Names of the permissions that are granted. */
  readonly granted: readonly string[];
  readonly limits?: Partial<PowerLimits>;
  readonly onEvent?: (record: PowerRecord) => void;
}

/** What one use came to. */
export interface PowerRecord extends Attribution {
  /** As the plugin wrote it, cut. */
  readonly power: string;
  readonly outcome: 'allowed' | 'denied' | 'failed';
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly durationMs: number;
  /** Why it was denied or failed, in full. For the host's eyes. */
  readonly reason?: string;
}

/** Uses the host's powers for one plugin, as far as its grant goes. */
export interface PowerBroker {
  /**
   * Uses one power. `params` are a guest's, as in `PowerParams`, and are parsed here. Answers the
   * result as the text of a copy.
   *
   * Rejects with `POWER_DENIED`, `POWER_UNAVAILABLE`, `POWER_INVALID`, `POWER_FAILED`, `POWER_LIMIT`,
   * `CANCELLED` by the signal, or `PERMISSION_REVOKED` once the permission is taken away.
   */
  use(params: unknown, signal: AbortSignal, behalf?: Attribution): Promise<RawJson>;
  /** The grant has changed: what is under way by a permission that is gone is ended. */
  follow(granted: readonly string[]): void;
  /** From here on everything is refused, also what is under way. */
  close(): void;
}

export function makePowerBroker(spec: PowerBrokerSpec): PowerBroker {
  const { plugin, lent } = spec;
  const limits: PowerLimits = { ...POWER_LIMITS, ...spec.limits };
  const refusals = makeRefusals(plugin, limits);
  const turnstile = makeTurnstile({
    ...limits,
    full: () => refusals.limit('maxWaiting', 'too many of its uses wait already'),
  });
  let granted = spec.granted;
  let closed = false;
  /** Ends the uses that a permission made possible. */
  const underWay = new Map<string, Set<AbortController>>();

  const find = (name: string): LentPower => {
    const power = lent.find(name);
    const permission = power?.permission ?? name;
    if (closed) throw refusals.revoked(name);
    if (!granted.includes(permission)) throw refusals.denied(name, permission, granted);
    if (power === undefined) throw refusals.unavailable(name);
    return power;
  };

  const run = async (
    power: LentPower,
    args: unknown,
    signal: AbortSignal,
    record: Writable<PowerRecord>,
  ): Promise<RawJson> => {
    const text = JSON.stringify(args);
    record.bytesOut = Buffer.byteLength(text);
    if (record.bytesOut > limits.maxArgumentBytes) {
      throw refusals.limit('maxArgumentBytes', `its arguments are ${record.bytesOut} bytes`);
    }
    const checked = power.checkArguments(args);
    if (!checked.ok) throw refusals.invalid(power.name, checked.problems);
    const controller = new AbortController();
    const peers = underWay.get(power.permission) ?? new Set();
    underWay.set(power.permission, peers.add(controller));
    const stopped = (): BulkheadError =>
      controller.signal.aborted ? refusals.revoked(power.name) : refusals.cancelled(power.name);
    const ended = AbortSignal.any([signal, controller.signal]);
    try {
      const leave = await turnstile.enter(ended);
      try {
        const result = await runHandler(power, checked.value, {
          plugin: plugin.id,
          signal: ended,
          refusals,
          stopped,
          maxResultBytes: limits.maxResultBytes,
        });
        record.bytesIn = Buffer.byteLength(result.text);
        return result;
      } finally {
        leave();
      }
    } catch (error) {
      throw ended.aborted ? stopped() : error;
    } finally {
      peers.delete(controller);
    }
  };

  const endUnless = (permission: string): void => {
    for (const controller of underWay.get(permission) ?? []) controller.abort();
  };

  return {
    use: async (params, signal, behalf) => {
      const startedAt = performance.now();
      const name = isRecord(params) ? params['name'] : undefined;
      const record: Writable<PowerRecord> = {
        ...behalf,
        power: typeof name === 'string' ? name.slice(0, 200) : '',
        outcome: 'allowed',
        bytesIn: 0,
        bytesOut: 0,
        durationMs: 0,
      };
      try {
        if (!isRecord(params) || typeof name !== 'string') throw refusals.malformed();
        return await run(find(name), params['arguments'] ?? null, signal, record);
      } catch (error) {
        const explained = isBulkheadError(error)
          ? error
          : refusals.failed(record.power, 'its host could not run it', error);
        record.outcome = DENIALS.has(explained.code) ? 'denied' : 'failed';
        record.reason = explainError(explained);
        throw explained;
      } finally {
        spec.onEvent?.({ ...record, durationMs: performance.now() - startedAt });
      }
    },
    follow: (next) => {
      const gone = granted.filter((permission) => !next.includes(permission));
      granted = next;
      for (const permission of gone) endUnless(permission);
    },
    close: () => {
      closed = true;
      for (const permission of underWay.keys()) endUnless(permission);
    },
  };
}

const DENIALS: ReadonlySet<string> = new Set(['POWER_DENIED', 'PERMISSION_REVOKED']);

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
