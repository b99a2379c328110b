import { makeBrand, type Brand } from '../brand.js';

/** What an `AbortSignal` stands for: something that is given up once, for a reason. */
export interface SignalState {
  readonly aborted: boolean;
  readonly reason: unknown;
  /**
   * Calls `listener` when it is given up, before any listener of plugin code; returns how to stop
   * listening. Never calls it where it was given up before: ask `aborted` first.
   */
  onAbort(listener: () => void): () => void;
  abort(reason: unknown): void;
}

/** Which objects are signals, and what they stand for. */
export const signals: Brand<SignalState> = makeBrand<SignalState>('AbortSignal');

/** A signal that has not been given up. `fire` runs after the other listeners. */
export function makeSignalState(fire: () => void): SignalState {
  const listeners = new Set<() => void>();
  let aborted = false;
  let reason: unknown;
  return {
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
