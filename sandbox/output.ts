import type { ClockPower } from './endowments/endowment.js';

/** What a call writes on its way to the host. */
export interface Output {
  write(text: string): void;
  /** Sends what is left. Nothing is sent after it. */
  end(): void;
}

/** From one message to the next. Shorter is more than anybody reads, and each costs the host. */
const INTERVAL_MS = 25;

/**
 * Sends what a call writes: at once where it has been quiet, and else as one message for all that it
 * writes in a while. What is beyond the cap is dropped, and said to be.
 */
export function makeOutput(
  send: (text: string) => void,
  { monotonic, setTimeout, clearTimeout }: ClockPower,
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

/** Characters that are sent without waiting for more. */
const LARGE = 64 * 1024;

const NOTE = '\n[what follows was dropped]\n';
