/**
 * Gives each that asks a turn of the event loop of its own, in the order in which they ask, so that
 * short work which cannot be divided, such as forking a process, does not add up to a long block.
 */
export interface Turns {
  /** Returns `undefined` if nothing took this turn yet. Otherwise, resolves in a free turn. */
  take(): Promise<void> | undefined;
}

export function makeTurns(): Turns {
  const waiting: (() => void)[] = [];
  let taken = false;

  const next = (): void => {
    const first = waiting.shift();
    taken = first !== undefined;
    if (first === undefined) return;
    first();
    setImmediate(next);
  };

  return {
    take: () => {
      if (taken) return new Promise((resolve) => waiting.push(resolve));
      taken = true;
      setImmediate(next);
      return undefined;
    },
  };
}
