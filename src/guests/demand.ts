/** How many guests are wanted at once. */
export interface Demand {
  /** One was wanted. */
  note(): void;
  /** The most that were wanted together, of late. */
  peak(): number;
}

export interface DemandSpec {
  /** Whatever is wanted within so long is wanted at once: as long as a guest takes to start. */
  readonly togetherMs: number;
  /** For so long a peak is expected to come again. */
  readonly rememberedMs: number;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
}

export function makeDemand({ togetherMs, rememberedMs, now }: DemandSpec): Demand {
  let recent: readonly number[] = [];
  let peak = 0;
  let untilMs = -Infinity;
  return {
    note: () => {
      const nowMs = now();
      recent = [...recent.filter((atMs) => nowMs - atMs < togetherMs), nowMs];
      if (recent.length < peak && nowMs < untilMs) return;
      peak = recent.length;
      untilMs = nowMs + rememberedMs;
    },
    peak: () => (now() < untilMs ? peak : 0),
  };
}
