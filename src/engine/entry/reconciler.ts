/** Asks whoever offers tools again when they say that these have changed, at a pace of the host's. */
export interface Reconciler {
  /** It has changed, once or a thousand times: it is asked soon, and not too often. */
  notice(): void;
}

export interface ReconcilerSpec {
  /** What it offers now; `undefined` where there is no guest to ask. */
  readonly ask: () => Promise<unknown>;
  readonly take: (described: unknown) => void;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Milliseconds between two questions. Default: `INTERVAL_MS`. */
  readonly intervalMs?: number;
}

/** From a change to the question: many extensions register again all that they have. */
export const SETTLE_MS = 10;

/** Between two questions. Stops an extension that registers in a loop from keeping its host busy. */
export const INTERVAL_MS = 200;

export function makeReconciler({
  ask,
  take,
  now,
  intervalMs = INTERVAL_MS,
}: ReconcilerSpec): Reconciler {
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
      // Its guest ended, which is told elsewhere: what it offers then is what a fresh one does.
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
    const timer = setTimeout(() => void run(), Math.max(SETTLE_MS, lastMs + intervalMs - now()));
    timer.unref();
  };

  return { notice: schedule };
}
