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

/** Levenshtein's distance, given up as soon as it exceeds `limit`: a plugin chooses these texts. */
function countErrors(from: string, to: string, limit: number): number | undefined {
  if (Math.abs(from.length - to.length) > limit) return undefined;
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    if (Math.min(...next) > limit) return undefined;
    row = next;
  }
  const errors = row[to.length] ?? 0;
  return errors > limit ? undefined : errors;
}
