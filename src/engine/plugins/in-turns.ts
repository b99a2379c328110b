import { makePauses } from '../powers/pauses.js';

/**
 * Maps with at most `width` at work at once, and lets the rest of the process run in between. Answers
 * in the order of the items.
 */
export async function inTurns<Item, Result>(
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
