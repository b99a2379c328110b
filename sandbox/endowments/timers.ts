import { makeBrand } from './brand.js';
import type { Endowed, Endowment } from './endowment.js';
import { timerQueue, type Timer } from './timer-queue.js';
import { isCallable } from './web-idl.js';

/**
 * `setTimeout`, `setInterval`, their clear functions, and `queueMicrotask`. A handle is a frozen
 * object without references. The clear functions ignore values that are not a handle of this
 * compartment or its number. Text is never a callback.
 */
export const timers: Endowment = {
  globals: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask'],
  make: (capabilities): Endowed => {
    const queue = timerQueue(capabilities);
    harden(handlePrototype);
    let revoked = false;

    const start = (repeat: boolean) => {
      return (callback: unknown, delay?: unknown, ...args: unknown[]): object => {
        const run = demandCallback(callback);
        const handle: object = Object.create(handlePrototype);
        const timer = queue.start(
          capabilities.contexts.bind(() => {
            Reflect.apply(run, handle, args);
          }),
          clampDelay(delay),
          repeat,
        );
        handles.give(handle, { timer, referenced: true });
        // guard: timer-handle-frozen
        return Object.freeze(handle);
      };
    };
    const clear = (handle?: unknown): void => {
      const timer =
        typeof handle === 'number' || typeof handle === 'string'
          ? queue.find(Number(handle))
          : handles.read(handle)?.timer;
      timer?.stop();
    };

    return {
      globals: {
        setTimeout: start(false),
        setInterval: start(true),
        clearTimeout: (handle?: unknown) => clear(handle),
        clearInterval: (handle?: unknown) => clear(handle),
        queueMicrotask: (callback: unknown): void => {
          const run = capabilities.contexts.bind(demandCallback(callback));
          capabilities.clock.queueMicrotask(() => {
            if (revoked) return;
            try {
              Reflect.apply(run, undefined, []);
            } catch (error) {
              capabilities.reportFault(error);
            }
          });
        },
      },
      revoke: () => {
        revoked = true;
        queue.close();
      },
    };
  },
};

interface HandleState {
  readonly timer: Timer;
  /** The answer of `hasRef`. It has no effect: the host decides the guest's lifetime. */
  referenced: boolean;
}

const handles = makeBrand<HandleState>('timer');

const handlePrototype = {
  ref(): unknown {
    handles.demand(this).referenced = true;
    return this;
  },
  unref(): unknown {
    handles.demand(this).referenced = false;
    return this;
  },
  hasRef(): boolean {
    return handles.demand(this).referenced;
  },
  refresh(): unknown {
    handles.demand(this).timer.restart();
    return this;
  },
  close(): unknown {
    handles.demand(this).timer.stop();
    return this;
  },
  [Symbol.toPrimitive](): number {
    return handles.demand(this).timer.id;
  },
};

function demandCallback(callback: unknown): (...args: readonly unknown[]) => unknown {
  // guard: timer-takes-function
  if (!isCallable(callback)) throw new TypeError('A timer takes a function, and never text');
  return callback;
}

/** As in Node: any other value than 1 to 2³¹-1 becomes 1 ms. */
function clampDelay(delay: unknown): number {
  const ms = Number(delay);
  return ms >= 1 && ms <= 0x7fff_ffff ? ms : 1;
}
