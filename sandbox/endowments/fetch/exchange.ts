import { defer } from '../streams/stream-state.js';

/**
 * One request and its response, from the call of `fetch` to the last byte of the body: what an
 * abort or a revocation stops.
 */
export interface Exchange {
  /** Why it was stopped, once it was. */
  readonly stopped: { readonly reason: unknown } | undefined;
  stop(reason: unknown): void;
  /** Calls `listener` when it is stopped; returns how to stop listening. */
  onStop(listener: () => void): () => void;
  /** What `promise` gives, or a rejection with the reason as soon as it is stopped. */
  race<Value>(promise: Promise<Value>): Promise<Value>;
  /** It is over: nothing stops it any more. */
  end(): void;
}

/** `onEnd` is called once, when it was stopped or is over. */
export function makeExchange(onEnd: () => void): Exchange {
  const listeners = new Set<() => void>();
  const stopping = defer<never>();
  // Nobody may be racing just then, and nobody needs to be.
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
