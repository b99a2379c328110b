import type { BulkheadError } from '../errors.js';

/** Lets so many through at once; the others wait in line, up to a length. */
export interface Turnstile {
  /**
   * Resolves when there is room, with the function that gives the place back. Rejects with the
   * signal's reason where that aborts first, and with `full()` where the line is too long.
   */
  enter(signal: AbortSignal): Promise<() => void>;
  /** How many are through and have not given their place back. */
  readonly active: number;
}

export function makeTurnstile(spec: {
  readonly maxActive: number;
  readonly maxWaiting: number;
  readonly full: () => BulkheadError;
}): Turnstile {
  let active = 0;
  // In order of arrival: a Set keeps it, and forgets whoever gave up at no cost.
  const line = new Set<() => void>();

  const admit = (): (() => void) => {
    active += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      active -= 1;
      const [first] = line;
      if (first !== undefined) first();
    };
  };

  return {
    enter: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (active < spec.maxActive) return resolve(admit());
        if (line.size >= spec.maxWaiting) return reject(spec.full());
        const giveUp = (): void => {
          line.delete(proceed);
          reject(signal.reason);
        };
        const proceed = (): void => {
          line.delete(proceed);
          signal.removeEventListener('abort', giveUp);
          resolve(admit());
        };
        line.add(proceed);
        signal.addEventListener('abort', giveUp, { once: true });
      }),
    get active() {
      return active;
    },
  };
}
