import {
  CHUNK_FRAME,
  HEADER_BYTES,
  MESSAGE_FRAME,
  STREAM_ID_BYTES,
  type Utf8,
  writeHeader,
  writeUint32,
} from './framing.js';

export interface OutboxSpec {
  /** Sends bytes; `bytes` is the port's from then on. */
  readonly write: (bytes: Uint8Array) => void;
  readonly utf8: Utf8;
  /** An array of that many bytes whose content does not matter. */
  readonly allocate: (bytes: number) => Uint8Array;
  /** Runs the callback once the current job and its promises are done. */
  readonly soon: (callback: () => void) => void;
}

export interface Outbox {
  message(text: string): void;
  chunk(streamId: number, bytes: Uint8Array): void;
}

/**
 * Frames that leave in one write at most. Larger writes save calls to the system, but while one side
 * gathers a hundred frames the other has nothing to do: with this many, both are at work.
 */
const MAX_BATCH = 16;

/** Gathers the frames of one job and writes them together. */
export function makeOutbox({ write, utf8, allocate, soon }: OutboxSpec): Outbox {
  let frames: (string | { readonly id: number; readonly bytes: Uint8Array })[] = [];

  const flush = (): void => {
    const leaving = frames;
    if (leaving.length === 0) return;
    frames = [];
    let total = 0;
    const lengths: number[] = [];
    for (const frame of leaving) {
      const length =
        typeof frame === 'string' ? utf8.byteLength(frame) : STREAM_ID_BYTES + frame.bytes.length;
      lengths.push(length);
      total += HEADER_BYTES + length;
    }
    const target = allocate(total);
    let at = 0;
    leaving.forEach((frame, index) => {
      const length = lengths[index] ?? 0;
      if (typeof frame === 'string') {
        writeHeader(target, at, length, MESSAGE_FRAME);
        utf8.write(frame, target, at + HEADER_BYTES);
      } else {
        writeHeader(target, at, length, CHUNK_FRAME);
        writeUint32(target, at + HEADER_BYTES, frame.id);
        target.set(frame.bytes, at + HEADER_BYTES + STREAM_ID_BYTES);
      }
      at += HEADER_BYTES + length;
    });
    write(target);
  };

  const add = (frame: (typeof frames)[number]): void => {
    if (frames.length === 0) soon(flush);
    frames.push(frame);
    if (frames.length === MAX_BATCH) flush();
  };
  // A chunk is copied when it leaves, later than now: a sender must not change it meanwhile.
  return { message: add, chunk: (id, bytes) => add({ id, bytes }) };
}
