/**
 * A seeded generator of numbers from 0 (inclusive) to 1 (exclusive): sfc32, as tested by PractRand.
 * Not suitable for secrets.
 */
export function makeSeeded(seed: readonly number[]): () => number {
  let [a = 0, b = 0, c = 0, d = 1] = seed.map((part) => part >>> 0);
  const next = (): number => {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // A poor seed shows only in the first numbers.
  for (let count = 0; count < WARM_UP; count += 1) next();
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

const WARM_UP = 16;
