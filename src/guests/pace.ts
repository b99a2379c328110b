import type { Socket } from 'node:net';

/**
 * Milliseconds of the host's thread that one guest's words may take at a stretch. Where they take
 * more, the guest is left unheard for as long as they took: it gets half of the thread at most.
 */
const STRETCH_MS = 20;

/** Bytes that a guest may leave unread before it is read no further itself. */
const MAX_UNREAD_BYTES = 1024 * 1024;

/**
 * Reads what a guest says, no faster than is good for its host:
 *
 * ```
 *   guest ── bytes ──► receive        it took long          rest, for as long as it took
 *         ◄─ answers ─ (unread: held) it reads no answers   rest, until it has read them
 * ```
 *
 * Without this, a guest that says nothing worth hearing as fast as it can would keep the host from
 * everything else, and one that asks without reading the answers would fill the host's memory.
 */
export function readPaced(from: Socket, receive: (bytes: Buffer) => void): void {
  let leftMs = STRETCH_MS;
  let lastMs = performance.now();
  let resting = false;

  const spendSince = (beganMs: number): void => {
    lastMs = performance.now();
    leftMs -= lastMs - beganMs;
    if (resting || (leftMs >= 0 && from.writableLength <= MAX_UNREAD_BYTES)) return;
    resting = true;
    from.pause();
    setTimeout(goOn, Math.max(-leftMs, 0)).unref();
  };
  const goOn = (): void => {
    if (from.writableLength > MAX_UNREAD_BYTES) {
      from.once('drain', goOn);
      return;
    }
    resting = false;
    from.resume();
  };

  from.on('data', (bytes: Buffer) => {
    const beganMs = performance.now();
    leftMs = Math.min(leftMs + beganMs - lastMs, STRETCH_MS);
    receive(bytes);
    spendSince(beganMs);
    // What it led to, such as the answers that leave, is counted with it: all that is done in the
    // next job, and so nothing that a caller does who was answered.
    const heardMs = lastMs;
    queueMicrotask(() => spendSince(heardMs));
  });
}
