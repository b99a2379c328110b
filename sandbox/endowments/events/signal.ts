import { makeBrand, type Brand } from '../brand.js';

/** The state of an `AbortSignal`: it aborts once, with a reason. */
export interface SignalState {
  /** The host's request whose context has this signal, or has the signal that this follows. */
  readonly call: number | undefined;
  readonly aborted: boolean;
  readonly reason: unknown;
  /**
   * Calls `listener` on abort, before any listener of plugin code, and returns the function that
   * removes it. Does not call it if the signal has aborted already: check `aborted` first.
   */
  onAbort(listener: () => void): () => void;
  abort(reason: unknown): void;
}

/** The signal objects and their states. */
export const signals: Brand<SignalState> = makeBrand<SignalState>('AbortSignal');

/** A signal that has not aborted. `fire` runs after the other listeners. */
export function makeSignalState(fire: () => void, call?: number): SignalState {
  const listeners = new Set<() => void>();
  let aborted = false;
  let reason: unknown;
  return {
    call,
    get aborted() {
      return aborted;
    },
    get reason() {
      return reason;
    },
    onAbort: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    abort: (why) => {
      if (aborted) return;
      aborted = true;
      reason = why;
      for (const listener of listeners) listener();
      listeners.clear();
      fire();
    },
  };
}
