/** How much processor time the guests of one entry may use, in milliseconds. */
export interface CpuLimits {
  /** In any window of `cpuWindowMs`, for any purpose. */
  readonly cpuMs: number;
  readonly cpuWindowMs: number;
  /** In addition, for each call in that window. */
  readonly cpuPerCallMs: number;
}

/** The processor time that the guests of one entry used in the last window. */
export interface CpuBudget {
  /** Charges the time since the last charge, and adds the calls since then. */
  charge(atMs: number, usedMs: number, calls: number): void;
  /** Why the guest is ended, as the end of a sentence; `undefined` within the budget. */
  readonly overdraft: string | undefined;
  /** Forgets all charges: the guest that used too much was ended. */
  reset(): void;
}

/**
 * A plugin that many callers use may use more processor time. A plugin that computes without calls,
 * or asks its host the same thing forever, may not.
 */
export function makeCpuBudget({ cpuMs, cpuWindowMs, cpuPerCallMs }: CpuLimits): CpuBudget {
  let charges: { readonly atMs: number; readonly usedMs: number; readonly calls: number }[] = [];
  return {
    charge: (atMs, usedMs, calls) => {
      charges = charges.filter((charge) => atMs - charge.atMs < cpuWindowMs);
      charges.push({ atMs, usedMs, calls });
    },
    get overdraft() {
      const used = charges.reduce((sum, charge) => sum + charge.usedMs, 0);
      const calls = charges.reduce((sum, charge) => sum + charge.calls, 0);
      const allowed = cpuMs + calls * cpuPerCallMs;
      // guard: cpu-budget
      return used > allowed
        ? `it used ${used} ms of processor time within ${cpuWindowMs} ms; the limit is ${allowed} ms`
        : undefined;
    },
    reset: () => {
      charges = [];
    },
  };
}
