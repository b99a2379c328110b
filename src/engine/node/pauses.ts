import { setImmediate } from 'node:timers/promises';

/** Longest time without a pause, in milliseconds. Calls and a server's requests wait during it. */
const EVERY_MS = 10;

/**
 * Returns a function that pauses for other work of the process if it has not done so for
 * `EVERY_MS`. Synchronous disk and cache reads are short, but thousands of plugins add up to a
 * second.
 */
export function makePauses(): () => Promise<void> | undefined {
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < EVERY_MS) return undefined;
    return setImmediate().then(() => {
      sinceMs = performance.now();
    });
  };
}

/**
 * Maps up to `width` items concurrently, with pauses for other work of the process. The results are
 * in the order of the items.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  width: number,
  map: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const pause = makePauses();
  const take = async (): Promise<void> => {
    for (const [index, item] of left) {
      results[index] = await map(item);
      const paused = pause();
      if (paused !== undefined) await paused;
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, take));
  return results;
}
