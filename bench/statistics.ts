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

/** Milliseconds for each of `count` calls, with `width` of them under way at any time. */
export async function timeInFlight(
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
  return (performance.now() - began) / count;
}

/**
 * Samples of each, taken in turns for that many rounds: what slows the machine down for a while
 * hits all of them, and the ratio between them stays.
 */
export async function inTurns<Name extends string>(
  rounds: number,
  runs: Readonly<Record<Name, () => Promise<readonly number[]>>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(runs) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) samples[name]?.push(...(await runs[name]()));
  }
  return samples as Record<Name, number[]>;
}
