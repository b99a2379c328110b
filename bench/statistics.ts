/** The value below which that share of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** How long each of `count` runs took, one after the other, in milliseconds. */
export async function time(count: number, run: () => unknown): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    await run();
    samples.push(performance.now() - began);
  }
  return samples;
}

/** Calls in a second with `width` of them under way at any time. */
export async function rate(
  count: number,
  width: number,
  run: () => Promise<unknown>,
): Promise<number> {
  let started = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (started < count) {
        started += 1;
        await run();
      }
    }),
  );
  return (count / (performance.now() - began)) * 1000;
}
