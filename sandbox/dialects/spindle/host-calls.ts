import { domExceptionClass } from '../../endowments/events/dom-exception.js';
import { signals } from '../../endowments/events/signal.js';
import { makeTurnstile } from '../../endowments/turnstile.js';
import { WireError } from '../../wire/failure.js';
import type { Json } from '../../wire/messages.js';
import { RawJson } from '../../wire/service.js';
import type { DialectWorld } from '../dialect.js';
import type { HeldPermissions } from './permissions.js';
import { permissionDenied } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';

/** One thing that the host of a Spindle extension does for it. */
export interface HostCall {
  /** As the extension names it, e.g. `spindle.chats.getActive`. */
  readonly name: string;
  /** What it needs, where it needs anything. */
  readonly permission?: string | undefined;
  /** The answer where this host does not provide it; without one, it is an error then. */
  readonly otherwise?: (() => Json) | undefined;
}

/**
 * Asks the host, which lends what it provides as powers of these names; each takes
 * `{ args: [ … ] }`, the arguments as the extension passed them. Answers with a copy.
 *
 * Where a host does not provide what only reads, the answer is that of an empty Lumiverse (`null`,
 * an empty list), so that extensions which look around at boot go on; what acts rejects.
 */
export interface HostCalls {
  ask(call: HostCall, args: readonly unknown[], signal?: unknown): Promise<unknown>;
  /** As `ask`, and nobody hears what became of it. */
  tell(call: HostCall, args: readonly unknown[]): void;
}

export function makeHostCalls(world: DialectWorld, permissions: HeldPermissions): HostCalls {
  const { powers } = world;
  const lent = new Set(world.lent);
  const turnstile = makeTurnstile(SPINDLE_LIMITS.maxCalls);
  let waiting = 0;

  const abortError = (message: string): Error =>
    new (domExceptionClass(powers))(message, 'AbortError');

  const throwIfAborted = (given: unknown): void => {
    const signal = signals.read(given);
    if (signal?.aborted === true) throw abortError(wordsOf(signal.reason));
  };

  const ask: HostCalls['ask'] = async ({ name, permission, otherwise }, args, given) => {
    if (permission !== undefined && !permissions.has(permission)) {
      throw permissionDenied(permission);
    }
    throwIfAborted(given);
    const signal = signals.read(given);
    if (!lent.has(name)) return without(name, otherwise);
    const text = world.serialize({ args });
    if (waiting >= SPINDLE_LIMITS.maxWaitingCalls)
      throw new Error(`${name}: too many calls wait for their turn`);
    waiting += 1;
    const turn = turnstile.enter();
    try {
      await turn.come;
      const params = new RawJson(`{"name":${JSON.stringify(name)},"arguments":${text}}`);
      return await powers.host.request('power', params, {
        onAbort: (listener) => signal?.onAbort(listener) ?? (() => undefined),
      });
    } catch (error) {
      throwIfAborted(given);
      if (isRefusal(error)) {
        // Taken away while it was under way.
        if (permission !== undefined && !permissions.has(permission)) {
          throw permissionDenied(permission);
        }
        return without(name, otherwise);
      }
      throw toSpindleError(error, name, abortError);
    } finally {
      waiting -= 1;
      turn.leave();
    }
  };

  return {
    ask,
    tell: (call, args) => {
      ask({ otherwise: () => null, ...call }, args).catch((error: unknown) => {
        world.log('warn', [call.name, error]);
      });
    },
  };
}

/** The host does not do it, or not for this extension. */
function isRefusal(error: unknown): boolean {
  return error instanceof WireError && REFUSALS.has(error.code ?? '');
}

const REFUSALS: ReadonlySet<string> = new Set([
  'POWER_UNAVAILABLE',
  'POWER_DENIED',
  'PERMISSION_REVOKED',
]);

function without(name: string, otherwise: HostCall['otherwise']): Json {
  if (otherwise !== undefined) return otherwise();
  throw new Error(
    `HOST_UNAVAILABLE: ${name} is not provided by this host. A host provides it as a power of that name.`,
  );
}

/** What the wire threw stays on this side; what the host said of an abort is one. */
function toSpindleError(
  error: unknown,
  name: string,
  abortError: (message: string) => Error,
): Error {
  const message = error instanceof Error ? error.message : `${name} failed`;
  if (message.startsWith(ABORT)) return abortError(message.slice(ABORT.length).trim());
  return new Error(message === '' ? `${name} failed` : message);
}

const ABORT = 'AbortError:';

function wordsOf(reason: unknown): string {
  return reason instanceof Error && reason.message !== '' ? reason.message : 'The call was aborted';
}
