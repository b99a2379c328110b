/**
 * The candidate that `text` was perhaps meant to be: the one that the fewest typing errors make of
 * it, if those are few for its length.
 */
export function closest(text: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let limit = Math.min(4, Math.max(1, Math.floor(text.length / 5)));
  for (const candidate of candidates) {
    const errors = countErrors(text, candidate, limit);
    if (errors === undefined) continue;
    best = candidate;
    limit = errors - 1;
    if (limit < 0) break;
  }
  return best;
}

/**
 * Levenshtein's distance, if it is no more than `limit`. A plugin chooses both texts: whatever they
 * are, only what lies so near to the diagonal is computed that it can still count.
 */
function countErrors(from: string, to: string, limit: number): number | undefined {
  if (Math.abs(from.length - to.length) > limit) return undefined;
  const places = Array.from({ length: 2 * limit + 1 }, (_, place) => place - limit);
  /** How many errors make the first `i + offset` characters of `to` of the first `i` of `from`. */
  let row = places.map((offset) => (offset < 0 ? Infinity : offset));
  for (let i = 1; i <= from.length; i += 1) {
    const next: number[] = [];
    for (const [place, offset] of places.entries()) {
      const j = i + offset;
      if (j < 0 || j > to.length) next.push(Infinity);
      else {
        const changed = (row[place] ?? Infinity) + (from[i - 1] === to[j - 1] ? 0 : 1);
        const left = (row[place + 1] ?? Infinity) + 1;
        next.push(Math.min(j === 0 ? i : changed, left, (next[place - 1] ?? Infinity) + 1));
      }
    }
    if (Math.min(...next) > limit) return undefined;
    row = next;
  }
  const errors = row[to.length - from.length + limit] ?? Infinity;
  return errors > limit ? undefined : errors;
}
