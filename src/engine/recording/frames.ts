import { makeFrameReader } from '../../../sandbox/wire/framing.js';
import { FROM_GUEST, FROM_HOST } from '../../../sandbox/wire/limits.js';
import type { Message } from '../../../sandbox/wire/messages.js';
import { makeOutbox } from '../../../sandbox/wire/outbox.js';
import { parseMessage } from '../../../sandbox/wire/parse.js';
import { makeUtf8 } from '../../../sandbox/wire/utf8.js';

export type Side = 'host' | 'guest';

/** One thing that was said on a wire, and who said it. */
export type Frame =
  | { readonly by: Side; readonly message: Message }
  /** Bytes of a stream, in base64. */
  | { readonly by: Side; readonly stream: number; readonly bytes: string };

const utf8 = makeUtf8(Buffer);

/** Turns what one side says into frames, as it arrives. Throws `WireViolation`, as the peer would. */
export function makeFrameLog(by: Side, note: (frame: Frame) => void): (bytes: Uint8Array) => void {
  const limits = by === 'guest' ? FROM_GUEST : FROM_HOST;
  return makeFrameReader(utf8, limits, {
    message: (text) => note({ by, message: parseMessage(text, limits) }),
    chunk: (stream, bytes) => {
      note({ by, stream, bytes: Buffer.from(bytes).toString('base64') });
    },
  });
}

/** Says a frame again, by itself. */
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
