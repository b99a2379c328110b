/** Something that is started once for all who want it at the time. */
export interface SharedStart<Result> {
  /**
   * What is being started; starts it where nothing is. The start's signal is aborted once everybody
   * has aborted who wants it: whoever joins without a signal wants it for good.
   */
  join(signal?: AbortSignal): Promise<Result>;
  /** Aborts the start, if there is one: whoever wants it is rejected with `why`. */
  giveUp(why: Error): void;
}

interface Start<Result> {
  readonly result: Promise<Result>;
  readonly end: AbortController;
  wanted: number;
}

/** Tells those who come too late that nobody wanted it any more, and that they may start anew. */
const UNWANTED = new Error('nobody waits for it any more');

export function makeSharedStart<Result>(
  start: (signal: AbortSignal) => Promise<Result>,
): SharedStart<Result> {
  let current: Start<Result> | undefined;

  const begin = (): Start<Result> => {
    const end = new AbortController();
    const result = start(end.signal).finally(() => {
      current = undefined;
    });
    return { result, end, wanted: 0 };
  };

  const join = async (signal?: AbortSignal): Promise<Result> => {
    const mine = (current ??= begin());
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
      return join(signal);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  };

  return { join, giveUp: (why) => current?.end.abort(why) };
}
