import { domExceptionClass } from '../../endowments/events/dom-exception.js';
import { signals } from '../../endowments/events/signal.js';
import { makeSemaphore } from '../../wire/semaphore.js';
import { WireError } from '../../wire/failure.js';
import type { Json } from '../../wire/messages.js';
import { preparePower } from '../../endowments/power-request.js';
import type { DialectWorld } from '../dialect.js';
import { type HeldPermissions, type Mutations, permissionDenied } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';
import { emptyAnswers, type SurfaceGroup } from './surface.js';

/** One function of the host for Spindle extensions. */
export interface HostCall {
  /** Its name in the extension's code, e.g. `spindle.chats.getActive`. */
  readonly name: string;
  /** The permission that it needs, if any. */
  readonly permission?: string | undefined;
  /** The answer if this host does not provide the function. Absent: the call rejects. */
  readonly otherwise?: ((why: Lack) => Json) | undefined;
}

/** Why the host does not do a request: it does not provide the function, or did not grant it. */
type Lack = 'not-provided' | 'not-granted';

/**
 * Requests to the host, which provides its functions as powers of these names. Each takes `{ args:
 * [ … ] }` and answers with a copy.
 *
 * If the host does not provide a function that only reads, the answer is that of an empty Lumiverse
 * (`null`, an empty list), so that extensions start. Other functions reject.
 */
export interface HostCalls {
  request(call: HostCall, args: readonly unknown[], signal?: unknown): Promise<unknown>;
  /** As `request`, without an answer. Failures are logged. */
  send(call: HostCall, args: readonly unknown[]): void;
}

export function makeHostCalls(world: DialectWorld, permissions: HeldPermissions): HostCalls {
  const { powers } = world;
  const hostPowers = new Set(world.hostPowers);
  const semaphore = makeSemaphore({ maxActive: SPINDLE_LIMITS.maxCalls });
  let waiting = 0;
  /** Members without an answer that were missing. Each is logged once. */
  const missing = new Set<string>();

  const abortError = (message: string): Error =>
    new (domExceptionClass(powers))(message, 'AbortError');

  const throwIfAborted = (given: unknown): void => {
    const signal = signals.read(given);
    if (signal?.aborted === true) throw abortError(wordsOf(signal.reason));
  };

  const request: HostCalls['request'] = async ({ name, permission, otherwise }, args, given) => {
    if (permission !== undefined && !permissions.has(permission)) {
      throw permissionDenied(permission);
    }
    throwIfAborted(given);
    const signal = signals.read(given);
    if (!hostPowers.has(name)) return without(name, 'not-provided', otherwise);
    const send = preparePower(powers, name, { args });
    if (waiting >= SPINDLE_LIMITS.maxQueuedCalls)
      throw new Error(`${name}: too many calls wait for their turn`);
    waiting += 1;
    const turn = semaphore.enter();
    try {
      await turn.ready;
      return await send({
        onAbort: (listener) => signal?.onAbort(listener) ?? (() => undefined),
      });
    } catch (error) {
      throwIfAborted(given);
      if (isRefusal(error)) {
        // The permission was revoked during the request.
        if (permission !== undefined && !permissions.has(permission)) {
          throw permissionDenied(permission);
        }
        const code = error instanceof WireError ? error.code : undefined;
        return without(
          name,
          code === 'POWER_UNAVAILABLE' ? 'not-provided' : 'not-granted',
          otherwise,
        );
      }
      throw toSpindleError(error, name, abortError);
    } finally {
      waiting -= 1;
      turn.leave();
    }
  };

  return {
    request,
    send: (call, args) => {
      const lost = (why: Lack): null => {
        if (!missing.has(call.name)) {
          missing.add(call.name);
          world.log('warn', [`Not done: ${explainLack(call.name, why)}`]);
        }
        return null;
      };
      request({ otherwise: lost, ...call }, args).catch((error: unknown) => {
        world.log('warn', [call.name, error]);
      });
    },
  };
}

/** Whether the host does not provide the function, or denies it to this extension. */
function isRefusal(error: unknown): boolean {
  return error instanceof WireError && REFUSALS.has(error.code ?? '');
}

const REFUSALS: ReadonlySet<string> = new Set([
  'POWER_UNAVAILABLE',
  'POWER_DENIED',
  'PERMISSION_REVOKED',
]);

function without(name: string, why: Lack, otherwise: HostCall['otherwise']): Json {
  if (otherwise !== undefined) return otherwise(why);
  throw new Error(`HOST_UNAVAILABLE: ${explainLack(name, why)}`);
}

function explainLack(name: string, why: Lack): string {
  return why === 'not-provided'
    ? `${name} is not provided by this host. A host provides it as a power of that name.`
    : `${name} is not granted by this host. Add the permission of that power to "powers" of the extension's grant; "spindle" is the one of members for every extension.`;
}

/** Replaces a wire error, which plugin code must not see. An abort becomes an AbortError. */
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

/** Members of `spindle`: functions, and namespaces of members. */
export interface Members {
  [name: string]: unknown;
}

/** Creates the members that only send a request to the host, by their path in `spindle`. */
export function makeHostMembers(
  groups: readonly SurfaceGroup[],
  calls: HostCalls,
  mutations: Mutations,
): Members {
  const members: Members = {};
  for (const { path, permission, reads = {}, writes = '', sends = '' } of groups) {
    const place = placeIn(members, path);
    const nameOf = (name: string): string => ['spindle', path, name].filter(Boolean).join('.');
    for (const [key, empty] of Object.entries(reads)) {
      const call = { name: nameOf(key), permission, otherwise: emptyAnswers[empty] };
      place[key] = (...args: unknown[]): Promise<unknown> => calls.request(call, args);
    }
    for (const key of namesIn(writes)) {
      const call = { name: nameOf(key), permission };
      place[key] = async (...args: unknown[]): Promise<unknown> => {
        mutations.allow(call.name);
        return calls.request(call, args);
      };
    }
    for (const key of namesIn(sends)) {
      const call = { name: nameOf(key), permission };
      place[key] = (...args: unknown[]): void => calls.send(call, args);
    }
  }
  return members;
}

function namesIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

function placeIn(members: Members, path: string): Members {
  let place = members;
  for (const name of path.split('.').filter(Boolean)) {
    const next = place[name];
    const found: Members = isMembers(next) ? next : {};
    place[name] = found;
    place = found;
  }
  return place;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}
