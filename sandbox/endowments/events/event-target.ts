import { makeBrand, type Brand } from '../brand.js';
import type { EndowmentCapabilities } from '../endowment.js';
import { perCompartment } from '../per-compartment.js';
import { isCallable, isObject, member, toOptions, toText } from '../web-idl.js';
import { events } from './event.js';
import { signals } from './signal.js';

/** The listeners of one target, in order of registration. */
export interface TargetState {
  listeners: readonly Listener[];
}

interface Listener {
  readonly type: string;
  /** A function or an object with a `handleEvent` method. */
  readonly callback: object;
  readonly capture: boolean;
  readonly once: boolean;
  readonly passive: boolean;
}

export const targets: Brand<TargetState> = makeBrand<TargetState>('EventTarget');

export type EventTargetClass = new () => object;

/** The compartment's `EventTarget`. Errors of listeners go to `reportFault`. */
export const eventTargetClass: (capabilities: EndowmentCapabilities) => EventTargetClass =
  perCompartment(
    ({ reportFault }) =>
      class EventTarget {
        constructor() {
          targets.give(this, { listeners: [] });
        }

        addEventListener(type: unknown, callback: unknown, options?: unknown): void {
          const state = targets.demand(this);
          const listener = readListener(type, callback, options);
          if (listener === undefined) return;
          const signal = isObject(options) ? member(options, 'signal') : undefined;
          if (signal !== undefined && signals.demand(signal).aborted) return;
          if (state.listeners.some((known) => isSame(known, listener))) return;
          state.listeners = [...state.listeners, listener];
          if (signal !== undefined) {
            signals.demand(signal).onAbort(() => remove(state, listener));
          }
        }

        removeEventListener(type: unknown, callback: unknown, options?: unknown): void {
          const state = targets.demand(this);
          const listener = readListener(type, callback, options);
          if (listener !== undefined) remove(state, listener);
        }

        dispatchEvent(event: unknown): boolean {
          targets.demand(this);
          const state = events.demand(event);
          if (state.dispatching) throw new TypeError('The event is already being dispatched');
          dispatch(this, event, reportFault);
          return !state.canceled;
        }

        get [Symbol.toStringTag](): string {
          return 'EventTarget';
        }
      },
  );

/**
 * Adds a listener of our own. It does not use methods of `target`, which a plugin may have
 * replaced.
 */
export function listen(target: object, type: string, callback: (event: unknown) => void): void {
  const state = targets.demand(target);
  const listener = { type, callback, capture: false, once: false, passive: false };
  state.listeners = [...state.listeners, listener];
}

/** Calls the current listeners of `target`. Listeners added during the dispatch are not called. */
export function dispatch(
  target: object,
  event: unknown,
  reportFault: (error: unknown) => void,
): void {
  const state = targets.demand(target);
  const fired = events.demand(event);
  fired.target = target;
  fired.dispatching = true;
  for (const listener of state.listeners) {
    if (fired.stoppedNow) break;
    if (listener.type !== fired.type || !state.listeners.includes(listener)) continue;
    if (listener.once) remove(state, listener);
    fired.passive = listener.passive;
    try {
      call(listener.callback, target, event);
    } catch (error) {
      reportFault(error);
    }
    fired.passive = false;
  }
  fired.dispatching = false;
  fired.stopped = false;
  fired.stoppedNow = false;
}

function call(callback: object, target: object, event: unknown): void {
  if (isCallable(callback)) {
    Reflect.apply(callback, target, [event]);
    return;
  }
  const method = member(callback, 'handleEvent');
  if (!isCallable(method)) throw new TypeError('The listener has no handleEvent method');
  Reflect.apply(method, callback, [event]);
}

function readListener(type: unknown, callback: unknown, options: unknown): Listener | undefined {
  const name = toText(type);
  if (callback === null || callback === undefined) return undefined;
  if (!isObject(callback)) throw new TypeError('The listener is not a function');
  const given = typeof options === 'boolean' ? { capture: options } : toOptions(options, 'options');
  return {
    type: name,
    callback,
    capture: Boolean(member(given, 'capture')),
    once: Boolean(member(given, 'once')),
    passive: Boolean(member(given, 'passive')),
  };
}

function isSame(one: Listener, other: Listener): boolean {
  return (
    one.type === other.type && one.callback === other.callback && one.capture === other.capture
  );
}

function remove(state: TargetState, listener: Listener): void {
  state.listeners = state.listeners.filter((known) => !isSame(known, listener));
}
