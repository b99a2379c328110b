import { defer } from '../streams/stream-state.js';

/**
 * One request and its response, from the call of `fetch` to the last byte of the body. An abort or
 * a revocation stops it.
 */
export interface Exchange {
  /** The reason, if it was stopped. */
  readonly stopped: { readonly reason: unknown } | undefined;
  stop(reason: unknown): void;
  /** Calls `listener` on stop. Returns the function that removes it. */
  onStop(listener: () => void): () => void;
  /** Settles as `promise`, or rejects with the reason when the exchange is stopped. */
  race<Value>(promise: Promise<Value>): Promise<Value>;
  /** Ends the exchange. After that `stop` does nothing. */
  end(): void;
}

/** `onEnd` is called once, on stop or on end. */
export function makeExchange(onEnd: () => void): Exchange {
  const listeners = new Set<() => void>();
  const stopping = defer<never>();
  // Prevents an unhandled rejection if no caller races at that time.
  stopping.promise.catch(() => undefined);
  let stopped: { readonly reason: unknown } | undefined;
  let ended = false;

  const end = (): void => {
    if (ended) return;
    ended = true;
    listeners.clear();
    onEnd();
  };
  return {
    get stopped() {
      return stopped;
    },
    stop: (reason) => {
      if (ended) return;
      stopped = { reason };
      stopping.settle.reject(reason);
      for (const listener of listeners) listener();
      end();
    },
    onStop: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    race: (promise) => Promise.race([promise, stopping.promise]),
    end,
  };
}
