/**
 * The tenants whose given-up calls were in a guest that looped. For a while each has a guest of its own, so
 * that its next loop takes no call of another tenant with it. The calls without a tenant are one tenant.
 */
export interface Loopers {
  readonly add: (tenant: string | undefined) => void;
  readonly has: (tenant: string | undefined) => boolean;
}

export function makeLoopers(windowMs: number): Loopers {
  /** Until when, monotonic milliseconds. */
  const untilMs = new Map<string | undefined, number>();
  return {
    add: (tenant) => {
      const nowMs = performance.now();
      for (const [one, until] of untilMs) if (until <= nowMs) untilMs.delete(one);
      untilMs.set(tenant, nowMs + windowMs);
    },
    // guard: looping-tenant-apart
    has: (tenant) => untilMs.size > 0 && (untilMs.get(tenant) ?? 0) > performance.now(),
  };
}
