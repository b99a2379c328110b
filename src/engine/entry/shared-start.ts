/** Something that is started once for all who want it at the time. */
export interface SharedStart<Result> {
  /**
   * What is being started; starts it where nothing is. The start's signal is aborted once everybody
   * has aborted who wants it: whoever joins without a signal wants it for good. It is made for the
   * tenant of the first.
   */
  join(wants?: Wants): Promise<Result>;
  /** Aborts the start, if there is one: whoever wants it is rejected with `why`. */
  giveUp(why: Error): void;
}

/** Somebody who wants it: for whom, and for how long. */
export interface Wants {
  readonly signal?: AbortSignal | undefined;
  readonly tenant?: string | undefined;
}

interface Start<Result> {
  readonly result: Promise<Result>;
  readonly end: AbortController;
  wanted: number;
}

/** Tells those who come too late that nobody wanted it any more, and that they may start anew. */
const UNWANTED = new Error('nobody waits for it any more');

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
