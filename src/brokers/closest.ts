/** The one of `known` that `text` is most likely a misspelling of, if any is that near. */
export function closest(text: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  // A quarter of the text may be wrong, and no more than three characters.
  let bestDistance = Math.min(3, Math.floor(text.length / 4)) + 1;
  for (const candidate of known.slice(0, MAX_CANDIDATES)) {
    if (Math.abs(candidate.length - text.length) >= bestDistance) continue;
    const distance = editDistance(text, candidate);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

// What is compared comes from a plugin: it must not buy much time with a long list.
const MAX_CANDIDATES = 200;

/** Levenshtein's, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substituted));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
