/** Starts something once for all callers that want it at the same time. */
export interface SharedStart<Result> {
  /**
   * Joins the running start, or begins one for the caller's tenant. The start is aborted when the
   * signals of all callers have aborted. A caller without a signal never aborts it.
   */
  join(wants?: Wants): Promise<Result>;
  /** Aborts the running start. Its callers reject with `why`. */
  giveUp(why: Error): void;
}

/** For which tenant a caller wants the result, and its signal. */
export interface Wants {
  readonly signal?: AbortSignal | undefined;
  readonly tenant?: string | undefined;
  /** Rejects if no guest is free at once, and ends no other plugin's guest for it. */
  readonly onlyIfFree?: boolean;
}

interface Start<Result> {
  readonly result: Promise<Result>;
  readonly end: AbortController;
  wanted: number;
}

/** Rejects callers that join an aborted start; they start again. */
const UNWANTED = new Error('no caller waits for it');

export function makeSharedStart<Result>(
  start: (wants: Wants & { readonly signal: AbortSignal }) => Promise<Result>,
): SharedStart<Result> {
  let current: Start<Result> | undefined;

  const begin = (tenant: string | undefined): Start<Result> => {
    const end = new AbortController();
    const result = start({ signal: end.signal, tenant }).finally(() => {
      current = undefined;
    });
    return { result, end, wanted: 0 };
  };

  const join = async (wants: Wants = {}): Promise<Result> => {
    const { signal, tenant } = wants;
    const mine = (current ??= begin(tenant));
    mine.wanted += 1;
    const leave = (): void => {
      mine.wanted -= 1;
      if (mine.wanted === 0) mine.end.abort(UNWANTED);
    };
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await mine.result;
    } catch (error) {
      if (error !== UNWANTED || signal?.aborted === true) throw error;
      return join(wants);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };

  return { join, giveUp: (why) => current?.end.abort(why) };
}
