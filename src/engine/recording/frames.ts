import { makeFrameReader, makeUtf8 } from '../../../sandbox/wire/framing.js';
import { FROM_GUEST, FROM_HOST } from '../../../sandbox/wire/limits.js';
import { makeOutbox } from '../../../sandbox/wire/outbox.js';
import { parseMessage } from '../../../sandbox/wire/parse.js';
import type { Frame, Side } from '../types/recording.js';

const utf8 = makeUtf8(Buffer);

/** Parses the bytes of one side into frames. Throws `WireViolation` for invalid bytes. */
export function makeFrameLog(by: Side, note: (frame: Frame) => void): (bytes: Uint8Array) => void {
  const limits = by === 'guest' ? FROM_GUEST : FROM_HOST;
  return makeFrameReader(utf8, limits, {
    message: (text) => note({ by, message: parseMessage(text, limits) }),
    chunk: (stream, bytes) => {
      note({ by, stream, bytes: Buffer.from(bytes).toString('base64') });
    },
  });
}

/** Sends a recorded frame again. */
export function sayFrame(frame: Frame, write: (bytes: Uint8Array) => void): void {
  let leave = (): void => {};
  const outbox = makeOutbox({
    write,
    utf8,
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    soon: (callback) => {
      leave = callback;
    },
  });
  if ('message' in frame) outbox.message(JSON.stringify(frame.message));
  else outbox.chunk(frame.stream, Buffer.from(frame.bytes, 'base64'));
  leave();
}
