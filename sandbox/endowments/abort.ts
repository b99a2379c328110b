import type { Endowed, Endowment, EndowmentCapabilities } from './endowment.js';
import { domExceptionClass } from './events/dom-exception.js';
import { Event, makeEvent } from './events/event.js';
import { dispatch, eventTargetClass, listen, targets } from './events/event-target.js';
import { makeSignalState, signals } from './events/signal.js';
import { makeBrand } from './brand.js';
import { perCompartment } from './per-compartment.js';
import { timerQueue } from './timer-queue.js';
import { isCallable, isIterable } from './web-idl.js';

/** `AbortController`, `AbortSignal`, and the events and errors that come with them. */
export const abort: Endowment = {
  globals: ['AbortController', 'AbortSignal', 'Event', 'EventTarget', 'DOMException'],
  make: (capabilities): Endowed => {
    const { AbortController, AbortSignal } = abortClasses(capabilities);
    return {
      globals: {
        AbortController,
        AbortSignal,
        Event,
        EventTarget: eventTargetClass(capabilities),
        DOMException: domExceptionClass(capabilities),
      },
      // `AbortSignal.timeout` uses timers and ends with them.
      revoke: () => undefined,
    };
  },
};

/** A signal for plugin code. Only our code can abort it. */
export interface AbortPair {
  readonly signal: object;
  /** Aborts the signal with an `AbortError` of that message. Only the first call counts. */
  abort(reason: string): void;
}

/**
 * Creates the `signal` that a call passes to a plugin: an `AbortSignal` of its compartment. `call` is
 * the host's request that runs the call.
 */
export function makeAbortPair(capabilities: EndowmentCapabilities, call?: number): AbortPair {
  const { makeSignal } = abortClasses(capabilities);
  const DOMException = domExceptionClass(capabilities);
  const signal = makeSignal(call);
  return {
    // guard: abort-signal-frozen
    signal: Object.freeze(signal),
    abort: (reason) => signals.demand(signal).abort(new DOMException(reason, 'AbortError')),
  };
}

interface AbortClasses {
  readonly AbortController: object;
  readonly AbortSignal: object;
  readonly makeSignal: (call?: number) => object;
}

/** The compartment's classes, created once. */
const abortClasses = perCompartment((capabilities): AbortClasses => {
  const EventTarget = eventTargetClass(capabilities);
  const DOMException = domExceptionClass(capabilities);
  const controllers = makeBrand<object>('AbortController');
  const handlers = new WeakMap<object, OnAbort>();

  class AbortSignal extends EventTarget {
    constructor() {
      super();
      throw new TypeError('An AbortSignal comes from an AbortController');
    }

    static abort(reason?: unknown): object {
      const signal = makeSignal();
      signals.demand(signal).abort(orAbortError(reason));
      return signal;
    }

    static timeout(delay: unknown): object {
      const ms = Number(delay);
      if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER)) {
        throw new TypeError('AbortSignal.timeout takes a number of milliseconds from 0 up');
      }
      const signal = makeSignal();
      const giveUp = (): void => {
        const error = new DOMException('The operation took too long', 'TimeoutError');
        signals.demand(signal).abort(error);
      };
      timerQueue(capabilities).start(giveUp, Math.min(ms, MAX_DELAY_MS), false);
      return signal;
    }

    static any(sources: unknown): object {
      if (!isIterable(sources)) throw new TypeError('AbortSignal.any takes a list of signals');
      const states = [...sources].map((source) => signals.demand(source));
      const signal = makeSignal(states.find(({ call }) => call !== undefined)?.call);
      const own = signals.demand(signal);
      const first = states.find((state) => state.aborted);
      if (first === undefined) {
        const leave = states.map((state) =>
          state.onAbort(() => {
            for (const stop of leave) stop();
            own.abort(state.reason);
          }),
        );
      } else own.abort(first.reason);
      return signal;
    }

    get aborted(): boolean {
      return signals.demand(this).aborted;
    }
    get reason(): unknown {
      return signals.demand(this).reason;
    }
    throwIfAborted(): void {
      const { aborted, reason } = signals.demand(this);
      if (aborted) throw reason;
    }

    get onabort(): unknown {
      signals.demand(this);
      return handlers.get(this)?.callback ?? null;
    }
    set onabort(callback: unknown) {
      signals.demand(this);
      const known = handlers.get(this);
      const next = isCallable(callback) ? callback : undefined;
      if (known !== undefined) known.callback = next;
      else if (next !== undefined) {
        const handler: OnAbort = { callback: next };
        handlers.set(this, handler);
        // A replaced handler stays at its first position among the listeners.
        listen(this, 'abort', (event: unknown) => {
          if (handler.callback !== undefined) Reflect.apply(handler.callback, this, [event]);
        });
      }
    }

    get [Symbol.toStringTag](): string {
      return 'AbortSignal';
    }
  }

  class AbortController {
    constructor() {
      controllers.give(this, makeSignal());
    }
    get signal(): object {
      return controllers.demand(this);
    }
    abort(reason?: unknown): void {
      signals.demand(controllers.demand(this)).abort(orAbortError(reason));
    }
    get [Symbol.toStringTag](): string {
      return 'AbortController';
    }
  }

  const makeSignal = (call?: number): object => {
    const signal: object = Object.create(AbortSignal.prototype);
    targets.give(signal, { listeners: [] });
    const fire = (): void => dispatch(signal, makeEvent('abort'), capabilities.reportFault);
    signals.give(signal, makeSignalState(fire, call));
    return signal;
  };
  const orAbortError = (reason: unknown): unknown =>
    reason === undefined ? new DOMException('The operation was aborted', 'AbortError') : reason;

  return { AbortController, AbortSignal, makeSignal };
});

interface OnAbort {
  callback: ((...args: readonly unknown[]) => unknown) | undefined;
}

/** The longest delay that a timer takes. */
const MAX_DELAY_MS = 0x7fff_ffff;
