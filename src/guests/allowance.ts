/** How much processor time the guests of one entry may use, and for what. Milliseconds. */
export interface CpuLimits {
  /** In any window, whatever it is used for. */
  readonly cpuMs: number;
  readonly cpuWindowMs: number;
  /** Besides, for each call that it got in that window. */
  readonly cpuPerCallMs: number;
}

/** The processor time that the guests of one entry used lately, one after the other. */
export interface Allowance {
  /** Charges what was used since the last charge, and counts the calls that came meanwhile. */
  charge(atMs: number, usedMs: number, calls: number): void;
  /** Why that is more than is allowed, after "the guest ended because"; `undefined` while it is not. */
  readonly overdraft: string | undefined;
  /** Begins anew: whoever overdrew has been ended for it. */
  clear(): void;
}

/**
 * Keeps the books of the last window. A plugin that many callers keep busy may use more for it; one
 * that computes for itself, or asks its host the same thing for ever, may not.
 */
export function makeAllowance({ cpuMs, cpuWindowMs, cpuPerCallMs }: CpuLimits): Allowance {
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
      return used > allowed
        ? `it used ${used} ms of processor time within ${cpuWindowMs} ms, and may use ${allowed}`
        : undefined;
    },
    clear: () => {
      charges = [];
    },
  };
}
