import { HEADER_BYTES, MESSAGE_FRAME, writeHeader } from './wire/framing.js';
import type { OutboxSpec } from './wire/outbox.js';

/**
 * Cuts what arrives into whole frames and passes on each by itself, in bytes of its own. What is in
 * them, and whether it may be so long, is for whoever reads them.
 */
export function makeFrameCutter(pass: (frame: Uint8Array) => void): (bytes: Uint8Array) => void {
  let rest = new Uint8Array(0);
  return (bytes) => {
    const all = new Uint8Array(rest.length + bytes.length);
    all.set(rest);
    all.set(bytes, rest.length);
    let at = 0;
    while (all.length - at >= HEADER_BYTES) {
      const end = at + HEADER_BYTES + lengthAt(all, at);
      if (end > all.length) break;
      pass(all.slice(at, end));
      at = end;
    }
    rest = all.slice(at);
  };
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at).getUint32(0, true);
}

/** One message as a frame of its own. */
export function frameOf(
  text: string,
  { utf8, allocate }: Pick<OutboxSpec, 'utf8' | 'allocate'>,
): Uint8Array {
  const length = utf8.byteLength(text);
  const frame = allocate(HEADER_BYTES + length);
  writeHeader(frame, 0, length, MESSAGE_FRAME);
  utf8.write(text, frame, HEADER_BYTES);
  return frame;
}
