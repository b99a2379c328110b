/**
 * That a tool was taken away while calls of it may be under way. Each call listens, so it costs an
 * entry in a set: an `AbortSignal` would cost a call more than all else that the host does for it.
 */
export interface Revocation {
  on(listener: () => void): void;
  off(listener: () => void): void;
  /** Tells whoever listens, once. */
  happen(): void;
}

export function makeRevocation(): Revocation {
  const listeners = new Set<() => void>();
  return {
    on: (listener) => listeners.add(listener),
    off: (listener) => listeners.delete(listener),
    happen: () => {
      const told = [...listeners];
      listeners.clear();
      for (const listener of told) listener();
    },
  };
}
