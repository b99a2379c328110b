import type { DialectWorld } from '../dialect.js';
import { type Callback, callUnawaited, demandCallback } from './callbacks.js';
import type { HeldPermissions } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';

/** The subscriptions of an extension (`spindle.on`). */
export interface Events {
  /** `spindle.on(event, handler)`. Returns a function that unsubscribes. */
  readonly on: (event: unknown, handler: unknown) => () => void;
  /** Calls the handlers of an event without awaiting them. */
  emit(event: string, payload: unknown, userId: string | undefined): void;
  /** The handlers of an event, in the order of their subscriptions. */
  handlers(event: string): readonly Callback[];
  /** All events with a handler. */
  names(): readonly string[];
}

/** `onChange` is called after each change of the subscribed events. */
export function makeEvents(
  world: DialectWorld,
  permissions: HeldPermissions,
  onChange: () => void,
): Events {
  const subscribed = new Map<string, Set<{ readonly handler: Callback }>>();

  /** Subscriptions whose permission is revoked wait until it is granted again. */
  const isActive = (event: string): boolean => {
    const needed = permissionFor(event);
    return needed === undefined || permissions.has(needed);
  };
  permissions.watch(({ permission }) => {
    const events = [...subscribed.keys()];
    if (events.some((event) => permissionFor(event) === permission)) onChange();
  });

  const emit: Events['emit'] = (event, payload, userId) => {
    if (!isActive(event)) return;
    for (const { handler } of subscribed.get(event) ?? []) {
      void callUnawaited(world, handler, userId === undefined ? [payload] : [payload, userId]);
    }
  };
  permissions.watch((change) => emit('PERMISSION_CHANGED', change, undefined), 'after');
  permissions.watchDenials((denial) => emit('permission_denied', denial, undefined));

  return {
    on: (event, handler) => {
      if (typeof event !== 'string') throw new TypeError('spindle.on takes the name of an event');
      const callback = demandCallback(handler, `spindle.on(${JSON.stringify(event)}, handler)`);
      const needed = permissionFor(event);
      if (needed !== undefined && !permissions.has(needed)) {
        permissions.deny(needed, `subscribe_event:${event}`);
      }
      const name = event === 'tool_invocation' ? 'TOOL_INVOCATION' : event;
      const handlers = subscribed.get(name) ?? new Set();
      if (
        (subscribed.size >= SPINDLE_LIMITS.maxEvents && !subscribed.has(name)) ||
        handlers.size >= SPINDLE_LIMITS.maxHandlers
      ) {
        throw new RangeError(
          `spindle.on: more than ${SPINDLE_LIMITS.maxEvents} events or handlers of one`,
        );
      }
      const entry = { handler: callback };
      subscribed.set(name, handlers.add(entry));
      if (handlers.size === 1) onChange();
      return () => {
        if (handlers.delete(entry) && handlers.size === 0) onChange();
      };
    },
    emit,
    handlers: (event) => [...(subscribed.get(event) ?? [])].map(({ handler }) => handler),
    names: () =>
      [...subscribed].flatMap(([name, handlers]) =>
        handlers.size > 0 && isActive(name) ? [name] : [],
      ),
  };
}

/** The permission that a subscription to the event needs, if any. */
function permissionFor(event: string): string | undefined {
  return GENERATION_EVENTS.has(event) ? 'generation' : undefined;
}

const GENERATION_EVENTS: ReadonlySet<string> = new Set([
  'GENERATION_STARTED',
  'GENERATION_IN_PROGRESS',
  'GENERATION_ENDED',
  'GENERATION_STOPPED',
  'STREAM_TOKEN_RECEIVED',
]);
