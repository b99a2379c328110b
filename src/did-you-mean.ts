import { distance } from 'fastest-levenshtein';

/** Longer texts are not compared, because the time grows with the product of the lengths. */
const MAX_COMPARED = 256;

/**
 * The candidate with the fewest typing errors: at most one for 5 characters, at least 1, at most 4. Two
 * neighbours in the wrong order are one error.
 */
export function didYouMean(text: string, candidates: readonly string[]): string | undefined {
  if (text.length > MAX_COMPARED) return undefined;
  let best: string | undefined;
  let limit = Math.min(4, Math.max(1, Math.floor(text.length / 5)));
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) > limit) continue;
    const errors = isSwap(text, candidate) ? 1 : distance(text, candidate);
    if (errors > limit) continue;
    best = candidate;
    limit = errors - 1;
    if (limit < 0) break;
  }
  return best;
}

/** Whether the texts differ only in the order of two neighbours. */
function isSwap(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return (
    at + 1 < one.length &&
    one[at] === other[at + 1] &&
    one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
  );
}
