import { setTimeout } from 'node:timers/promises';

/**
 * Waits until `look` finds nothing more, and returns what it found last. It has no timer while
 * `look` runs: `expect.poll` has one, so that a look at the timers of this process finds it until
 * the very end.
 */
export async function whatStays(
  look: () => readonly string[],
  timeoutMs = 20_000,
): Promise<readonly string[]> {
  const end = performance.now() + timeoutMs;
  let found = look();
  while (found.length > 0 && performance.now() < end) {
    await setTimeout(50);
    found = look();
  }
  return found;
}
