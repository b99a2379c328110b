/** The requests that are under way. */
export interface InFlight {
  /**
   * Takes a place, and gives how to leave it; `undefined` where there is none, or no more are taken. A
   * caller that is named gets none either where it has `SHARE` times as many as are left: whoever
   * comes after it finds one.
   */
  enter(caller?: string): (() => void) | undefined;
  /** Takes no more. Resolves once the last has left. */
  drain(): Promise<void>;
  readonly draining: boolean;
  readonly count: number;
}

/** Alone, a caller gets three of four places. */
const SHARE = 3;

export function makeInFlight(max: number): InFlight {
  let count = 0;
  const held = new Map<string, number>();
  let draining = false;
  let emptied: (() => void) | undefined;
  return {
    enter: (caller) => {
      if (draining || count >= max) return undefined;
      const has = caller === undefined ? 0 : (held.get(caller) ?? 0);
      if (has >= SHARE * (max - count)) return undefined;
      count += 1;
      if (caller !== undefined) held.set(caller, has + 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        count -= 1;
        if (caller !== undefined) letGo(held, caller);
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

function letGo(held: Map<string, number>, caller: string): void {
  const left = (held.get(caller) ?? 0) - 1;
  if (left > 0) held.set(caller, left);
  else held.delete(caller);
}
