/**
 * Milliseconds of the host's thread that one guest's bytes may take without a pause. After more, the
 * guest is not read for as long as they took: it gets at most half of the thread.
 */
const STRETCH_MS = 20;

/** Bytes that a guest may leave unread before the host stops reading from it. */
const MAX_UNREAD_BYTES = 1024 * 1024;

const RESOLVED: Promise<void> = Promise.resolve();

/** A socket to a guest, as far as a throttle uses it. */
export interface ThrottledPipe {
  readonly writableLength: number;
  pause(): unknown;
  resume(): unknown;
  once(event: 'drain', listener: () => void): unknown;
}

/**
 * Reads from a guest at a limited rate:
 *
 * ```
 *   guest ── bytes ──► receive     it took long          pause, for as long as it took
 *         ◄─ answers ─             it reads no answers   pause, until it has read them
 * ```
 *
 * Stops a guest that floods the host with messages, and one that fills the host's memory with
 * answers that it does not read. Returns the function that takes the bytes that were read.
 */
export function makeThrottle(
  from: ThrottledPipe,
  receive: (bytes: Buffer) => void,
): (bytes: Buffer) => void {
  let leftMs = STRETCH_MS;
  let lastMs = performance.now();
  let suspended = false;

  const spendSince = (beganMs: number): void => {
    lastMs = performance.now();
    leftMs -= lastMs - beganMs;
    // guard: guest-reads-throttled
    if (suspended || (leftMs >= 0 && from.writableLength <= MAX_UNREAD_BYTES)) return;
    suspended = true;
    from.pause();
    setTimeout(goOn, Math.max(-leftMs, 0)).unref();
  };
  const goOn = (): void => {
    if (from.writableLength > MAX_UNREAD_BYTES) {
      from.once('drain', goOn);
      return;
    }
    suspended = false;
    from.resume();
  };

  return (bytes) => {
    const beganMs = performance.now();
    leftMs = Math.min(leftMs + beganMs - lastMs, STRETCH_MS);
    receive(bytes);
    spendSince(beganMs);
    // The work that the bytes led to in the next job, such as answers, is counted as well. What a
    // caller does with its answer is not.
    const heardMs = lastMs;
    void RESOLVED.then(() => spendSince(heardMs));
  };
}
