/** The operations that are under way. */
export interface UnderWay {
  /** Begins one that ends when the signal aborts, or all do; at once where they have. */
  begin(signal: AbortSignal): Operation;
  /** Ends all of them, and every later one. */
  endAll(): void;
  /** Whether it has. */
  readonly ended: boolean;
}

export interface Operation {
  readonly ended: AbortSignal;
  /** It is over: nothing ends it any more. */
  over(): void;
}

/**
 * Each has a signal of its own. One for all of them would outlive each of them, and keep what had
 * listened to it: in the end the content of all that was ever written.
 */
export function makeUnderWay(): UnderWay {
  const all = new Set<AbortController>();
  let ended = false;
  return {
    begin: (signal) => {
      const end = new AbortController();
      const giveUp = (): void => end.abort();
      all.add(end);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted || ended) giveUp();
      return {
        ended: end.signal,
        over: () => {
          all.delete(end);
          signal.removeEventListener('abort', giveUp);
        },
      };
    },
    endAll: () => {
      ended = true;
      for (const end of all) end.abort();
    },
    get ended() {
      return ended;
    },
  };
}
