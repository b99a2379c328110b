/** Queries a source of tools again after it reports changes, at a limited rate. */
export interface RefreshDebouncer {
  /** Reports a change. Many reports lead to one query. */
  notice(): void;
}

export interface RefreshDebouncerSpec {
  /** Queries the current contributions. `undefined` if there is no guest to query. */
  readonly ask: () => Promise<unknown>;
  readonly take: (described: unknown) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Milliseconds between two queries. Default: `INTERVAL_MS`. */
  readonly intervalMs?: number;
}

/**
 * Milliseconds from a change to the query. Many extensions register all of their tools again at
 * once.
 */
export const SETTLE_MS = 10;

/**
 * Milliseconds between two queries. Stops an extension that registers in a loop from using up the
 * host's time.
 */
export const INTERVAL_MS = 200;

export function makeRefreshDebouncer({
  ask,
  take,
  now,
  intervalMs = INTERVAL_MS,
}: RefreshDebouncerSpec): RefreshDebouncer {
  let waiting = false;
  let asking = false;
  let again = false;
  let lastMs = -Infinity;

  const run = async (): Promise<void> => {
    waiting = false;
    asking = true;
    lastMs = now();
    try {
      const described = await ask();
      if (described !== undefined) take(described);
    } catch {
      // Its guest ended, which the guest's supervisor reports. A new guest starts with its initial
      // contributions.
    }
    asking = false;
    if (again) schedule();
  };
  const schedule = (): void => {
    if (asking || waiting) {
      again = asking;
      return;
    }
    again = false;
    waiting = true;
    // guard: remote-refresh-interval
    const timer = setTimeout(() => void run(), Math.max(SETTLE_MS, lastMs + intervalMs - now()));
    timer.unref();
  };

  return { notice: schedule };
}
