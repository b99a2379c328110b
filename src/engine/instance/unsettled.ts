/** A request that was cancelled or timed out, and that the guest has not answered. */
export interface GivenUp {
  /** Resolves when the guest has answered the request, or has ended. Never rejects. */
  readonly settled: Promise<unknown>;
  /** The tenant of the call. Default: the tenant of all calls without one. */
  readonly tenant?: string | undefined;
  /** Why a guest that does not answer is killed, as the end of a sentence. */
  readonly detail: string;
}

/** The given-up requests that one guest has not answered. */
export interface Unsettled {
  readonly size: number;
  /** Whether one of them was given up more than the grace ago. */
  readonly isLate: boolean;
  /** The detail of the first of them. */
  readonly detail: string | undefined;
  countOf(tenant: string): number;
  /** Resolves when one more of them has settled. */
  nextSettled(): Promise<void>;
  /** Resolves when all that are unsettled now have settled. */
  whenSettled(): Promise<void>;
  add(givenUp: GivenUp): void;
}

export interface UnsettledSpec {
  readonly graceMs: number;
  readonly maxUnsettledMs: number;
  /** A request has not settled within the grace. */
  readonly onLate: (givenUp: GivenUp) => void;
  /** A request has not settled within `maxUnsettledMs`. */
  readonly onOverdue: (givenUp: GivenUp) => void;
}

export function makeUnsettled(spec: UnsettledSpec): Unsettled {
  const { graceMs, maxUnsettledMs, onLate, onOverdue } = spec;
  const open = new Map<GivenUp, { late: boolean }>();
  return {
    get size() {
      return open.size;
    },
    get isLate() {
      return [...open.values()].some(({ late }) => late);
    },
    get detail() {
      const [first] = open.keys();
      return first?.detail;
    },
    countOf: (tenant) => [...open.keys()].filter((one) => (one.tenant ?? '') === tenant).length,
    nextSettled: () => Promise.race([...open.keys()].map(({ settled }) => settled)).then(NOTHING),
    whenSettled: () => Promise.all([...open.keys()].map(({ settled }) => settled)).then(NOTHING),
    add: (givenUp) => {
      const state = { late: false };
      open.set(givenUp, state);
      const grace = setTimeout(() => {
        state.late = true;
        onLate(givenUp);
      }, graceMs);
      const overdue = setTimeout(() => onOverdue(givenUp), maxUnsettledMs);
      // Without a waiting caller, the timer must not prevent the host's process from ending.
      overdue.unref();
      void givenUp.settled.then(() => {
        clearTimeout(grace);
        clearTimeout(overdue);
        open.delete(givenUp);
      });
    },
  };
}

const NOTHING = (): void => {};
