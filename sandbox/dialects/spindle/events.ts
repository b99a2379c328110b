import type { DialectWorld } from '../dialect.js';
import { type Callback, callUnawaited, demandCallback } from './callbacks.js';
import type { HeldPermissions } from './permissions.js';
import { SPINDLE_LIMITS } from './limits.js';

/** What an extension subscribed to with `spindle.on`. */
export interface Events {
  /** `spindle.on(event, handler)`, which returns how to unsubscribe. */
  readonly on: (event: unknown, handler: unknown) => () => void;
  /** Calls the handlers of an event; nobody waits for them. */
  emit(event: string, payload: unknown, userId: string | undefined): void;
  /** The handlers of an event, in the order in which they subscribed. */
  handlers(event: string): readonly Callback[];
  /** Every event that has a handler. */
  names(): readonly string[];
}

export function makeEvents(world: DialectWorld, permissions: HeldPermissions): Events {
  const subscribed = new Map<string, Set<{ readonly handler: Callback }>>();

  // A permission that is taken away takes what it had made possible with it.
  permissions.watch(({ permission, granted }) => {
    if (granted) return;
    for (const event of subscribed.keys()) {
      if (permissionFor(event) === permission) subscribed.delete(event);
    }
  });

  const emit: Events['emit'] = (event, payload, userId) => {
    for (const { handler } of subscribed.get(event) ?? []) {
      callUnawaited(world, handler, userId === undefined ? [payload] : [payload, userId]);
    }
  };
  permissions.watch((change) => emit('PERMISSION_CHANGED', change, undefined), 'after');

  return {
    on: (event, handler) => {
      if (typeof event !== 'string') throw new TypeError('spindle.on takes the name of an event');
      const callback = demandCallback(handler, `spindle.on(${JSON.stringify(event)}, handler)`);
      const needed = permissionFor(event);
      if (needed !== undefined && !permissions.has(needed)) {
        permissions.deny(needed, `subscribe_event:${event}`);
        return () => undefined;
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
      return () => {
        handlers.delete(entry);
      };
    },
    emit,
    handlers: (event) => [...(subscribed.get(event) ?? [])].map(({ handler }) => handler),
    names: () => [...subscribed].flatMap(([name, handlers]) => (handlers.size > 0 ? [name] : [])),
  };
}

/** What subscribing to an event needs, where it needs anything. */
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
