import { GUEST_LIMITS } from '../options/limits.js';

/** What calls of one entry write while they run, and who listens to it. */
export interface Outputs {
  open(call: string, listener: (chunk: string) => void): void;
  close(call: string): void;
  /** Takes what a guest says that a call wrote. None of it is believed. */
  hear(call: unknown, text: unknown): void;
}

export function makeOutputs(): Outputs {
  const open = new Map<unknown, { listener: (chunk: string) => void; left: number }>();
  return {
    open: (call, listener) => open.set(call, { listener, left: GUEST_LIMITS.maxOutputText }),
    close: (call) => open.delete(call),
    hear: (call, text) => {
      const output = open.get(call);
      if (output === undefined || typeof text !== 'string' || text === '') return;
      const heard = text.slice(0, output.left);
      output.left -= heard.length;
      if (heard === '') return;
      try {
        output.listener(heard);
      } catch {
        // Whoever listens only watches: what it throws must not end a call.
      }
    },
  };
}
