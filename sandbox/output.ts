import type { ClockCapability } from './endowments/endowment.js';

/** The output of a call for the host. */
export interface Output {
  write(text: string): void;
  /** Sends the rest. Later output is dropped. */
  end(): void;
}

/** Milliseconds between two messages. Each message costs the host. */
const INTERVAL_MS = 25;

/**
 * Sends output at once if the last message is older than `INTERVAL_MS`, otherwise together with
 * later output. Drops output over the cap, with a note.
 */
export function makeOutput(
  send: (text: string) => void,
  { monotonic, setTimeout, clearTimeout }: ClockCapability,
  maxText: number,
): Output {
  let waiting = '';
  let left = maxText;
  let timer: unknown;
  let sentAt = -Infinity;
  let ended = false;

  const flush = (): void => {
    if (timer !== undefined) clearTimeout(timer);
    timer = undefined;
    if (waiting === '') return;
    send(waiting);
    waiting = '';
    sentAt = monotonic();
  };

  return {
    write: (text) => {
      if (ended || left <= 0) return;
      waiting +=
        text.length < left ? text : `${text.slice(0, Math.max(0, left - NOTE.length))}${NOTE}`;
      left -= text.length;
      const wait = sentAt + INTERVAL_MS - monotonic();
      if (wait <= 0 || waiting.length > LARGE) flush();
      else timer ??= setTimeout(flush, wait);
    },
    end: () => {
      flush();
      ended = true;
    },
  };
}

/** With this many characters, output is sent without a delay. */
const LARGE = 64 * 1024;

const NOTE = '\n[what follows was dropped]\n';
