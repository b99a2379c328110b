/** The requests that are under way. */
export interface InFlight {
  /** Takes a place, and gives how to leave it; `undefined` where there is none, or no more are taken. */
  enter(): (() => void) | undefined;
  /** Takes no more. Resolves once the last has left. */
  drain(): Promise<void>;
  readonly draining: boolean;
  readonly count: number;
}

export function makeInFlight(max: number): InFlight {
  let count = 0;
  let draining = false;
  let emptied: (() => void) | undefined;
  return {
    enter: () => {
      if (draining || count >= max) return undefined;
      count += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        count -= 1;
        if (count === 0) emptied?.();
      };
    },
    drain: () => {
      draining = true;
      if (count === 0) return Promise.resolve();
      return new Promise((resolve) => {
        emptied = resolve;
      });
    },
    get draining() {
      return draining;
    },
    get count() {
      return count;
    },
  };
}
