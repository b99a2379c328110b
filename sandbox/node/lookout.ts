/**
 * So long after it wrote a process looks out for an answer, in milliseconds, before it sleeps. Twice of
 * what a host that was waiting for it takes to call again.
 */
const AWAKE_MS = 0.2;

/** What comes within so long has come at once, where the time to be woken is part of it. */
const SOON_MS = 0.4;

export interface Lookout {
  /** Something was written. */
  wrote(): void;
  /** Something was read. */
  heard(): void;
}

export interface LookoutSpec {
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  /** Runs the callback once the pipe was looked at. */
  readonly again: (callback: () => void) => void;
  /** With one, whoever stays awake keeps the host from running. */
  readonly processors: number;
}

/**
 * Keeps a process awake for a moment after it has written. To be put to sleep and woken costs it several
 * times what a small call takes, where its processor has nothing else to do. It stays awake only where it
 * was written to as soon the last time, so that a guest which is called now and then wastes nothing.
 */
export function makeLookout({ now, again, processors }: LookoutSpec): Lookout {
  let wroteAtMs = -Infinity;
  let wasSoon = false;
  let isWaiting = false;
  let isLooking = false;
  let hasLooked = false;

  const look = (): void => {
    isLooking = isWaiting && now() - wroteAtMs < AWAKE_MS;
    if (isLooking) again(look);
  };

  return {
    wrote: () => {
      wroteAtMs = now();
      isWaiting = true;
      hasLooked = wasSoon && processors > 1;
      if (!hasLooked || isLooking) return;
      isLooking = true;
      again(look);
    },
    heard: () => {
      if (!isWaiting) return;
      isWaiting = false;
      wasSoon = now() - wroteAtMs < (hasLooked ? AWAKE_MS : SOON_MS);
    },
  };
}
