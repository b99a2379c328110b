import { makeBrand } from './brand.js';
import type { Endowed, Endowment } from './endowment.js';
import { timerQueue, type Timer } from './timer-queue.js';
import { isCallable } from './web-idl.js';

/**
 * `setTimeout`, `setInterval`, what clears them, and `queueMicrotask`. A handle is a frozen object
 * that leads nowhere; what is not a handle of this compartment, or the number of one, clears
 * nothing. Text is never a callback.
 */
export const timers: Endowment = {
  globals: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask'],
  make: (powers): Endowed => {
    const queue = timerQueue(powers);
    harden(handlePrototype);
    let revoked = false;

    const start = (repeat: boolean) => {
      return (callback: unknown, delay?: unknown, ...args: unknown[]): object => {
        const run = demandCallback(callback);
        const handle: object = Object.create(handlePrototype);
        const timer = queue.start(
          () => {
            Reflect.apply(run, handle, args);
          },
          clampDelay(delay),
          repeat,
        );
        handles.give(handle, { timer, referenced: true });
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
          const run = demandCallback(callback);
          powers.clock.queueMicrotask(() => {
            if (revoked) return;
            try {
              Reflect.apply(run, undefined, []);
            } catch (error) {
              powers.reportFault(error);
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
  /** What `hasRef` answers. Whether a guest lives on is for its host to say. */
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
  if (!isCallable(callback)) throw new TypeError('A timer takes a function, and never text');
  return callback;
}

/** As Node does it: what is no number of milliseconds from 1 to 2³¹-1 is one millisecond. */
function clampDelay(delay: unknown): number {
  const ms = Number(delay);
  return ms >= 1 && ms <= 0x7fff_ffff ? ms : 1;
}
