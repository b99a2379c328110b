import { leave } from './leave.js';

/**
 * That a tool was taken away while calls of it may be under way. Each call listens, so it costs an
 * entry in a list: an `AbortSignal` would cost a call more than all else that the host does for it.
 */
export interface Revocation {
  on(listener: () => void): void;
  off(listener: () => void): void;
  /** Tells whoever listens, once. */
  happen(): void;
}

export function makeRevocation(): Revocation {
  return new MadeRevocation();
}

/** A class, because there is one for every tool. */
class MadeRevocation implements Revocation {
  listeners: (() => void)[] = [];

  on(listener: () => void): void {
    this.listeners.push(listener);
  }

  off(listener: () => void): void {
    leave(this.listeners, listener);
  }

  happen(): void {
    const told = this.listeners;
    this.listeners = [];
    for (const listener of told) listener();
  }
}
