import { offer } from './denied.js';
import { always } from './compartment-globals.js';

/** The part of an AbortSignal that ends a wait. */
interface Signal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(name: 'abort', listener: () => void): void;
}

interface Options {
  readonly signal?: Signal;
}

function wait<Value>(
  delay?: number,
  value?: Value,
  { signal }: Options = {},
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const handle = always('setTimeout')(() => resolve(value), delay);
    signal?.addEventListener('abort', () => {
      always('clearTimeout')(handle);
      reject(signal.reason);
    });
  });
}

async function* every<Value>(delay?: number, value?: Value): AsyncGenerator<Value | undefined> {
  for (;;) yield await wait(delay, value);
}

export const builtin: object = offer('timers/promises', {
  setTimeout: wait,
  setImmediate: <Value>(value?: Value, options?: Options): Promise<Value | undefined> =>
    wait(0, value, options),
  setInterval: every,
  scheduler: {
    wait: (delay?: number, options?: Options): Promise<undefined> =>
      wait(delay, undefined, options),
    yield: (): Promise<undefined> => wait(0),
  },
});
