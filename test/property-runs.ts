import fc from 'fast-check';

/**
 * How often properties are tried: a hundred times or as often as they say in the suite, and a number
 * of times that the caller chose for a long run. A failure prints the seed and the path
 * that lead to it again; the value that it found becomes an example of that property.
 */
const chosen = Number(process.env['BULKHEAD_FUZZ_RUNS'] ?? '0');
const seed = process.env['BULKHEAD_FUZZ_SEED'];

fc.configureGlobal({
  ...(chosen > 0 ? { numRuns: chosen } : {}),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});

/** `usual` runs, or as many as were chosen where those are more. */
export function runs(usual: number): number {
  return Math.max(usual, chosen);
}
