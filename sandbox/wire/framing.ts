import { WireViolation } from './failure.js';
import type { WireLimits } from './limits.js';

/**
 * A frame is a header of five bytes and a body:
 *
 * ```
 *   0        4      5
 *   ├────────┼──────┼───────────────────────────────┤
 *   │ length │ kind │ body: `length` bytes          │   length: unsigned, little-endian
 *   └────────┴──────┴───────────────────────────────┘
 *     kind 0: one JSON message, UTF-8
 *     kind 1: one stream chunk: stream id (4 bytes, as above), then its bytes
 * ```
 */
export const HEADER_BYTES = 5;
export const MESSAGE_FRAME = 0;
export const CHUNK_FRAME = 1;
export const STREAM_ID_BYTES = 4;

/** UTF-8. Each side passes its platform's fastest implementation. */
export interface Utf8 {
  byteLength(text: string): number;
  /** Writes `text` at `offset`, where `byteLength(text)` bytes are free. */
  write(text: string, target: Uint8Array, offset: number): void;
  /** Malformed bytes become U+FFFD; this never throws. */
  read(bytes: Uint8Array, start: number, end: number): string;
}

export interface FrameReceiver {
  message(text: string): void;
  /** `bytes` belongs to the receiver. */
  chunk(streamId: number, bytes: Uint8Array): void;
}

export function writeHeader(
  target: Uint8Array,
  offset: number,
  length: number,
  kind: number,
): void {
  writeUint32(target, offset, length);
  target[offset + 4] = kind;
}

export function writeUint32(target: Uint8Array, offset: number, value: number): void {
  target[offset] = value & 0xff;
  target[offset + 1] = (value >>> 8) & 0xff;
  target[offset + 2] = (value >>> 16) & 0xff;
  target[offset + 3] = (value >>> 24) & 0xff;
}

export function readUint32(bytes: Uint8Array, offset: number): number {
  return (
    ((bytes[offset] ?? 0) |
      ((bytes[offset + 1] ?? 0) << 8) |
      ((bytes[offset + 2] ?? 0) << 16) |
      ((bytes[offset + 3] ?? 0) << 24)) >>>
    0
  );
}

/**
 * Splits a byte stream into frames and passes each complete frame to `receiver`. The bytes may be cut
 * anywhere. Throws `WireViolation` for an unknown kind and for a length over the cap, before it
 * allocates memory for that length.
 */
export function makeFrameReader(
  utf8: Utf8,
  limits: WireLimits,
  receiver: FrameReceiver,
): (bytes: Uint8Array) => void {
  // A frame across several pieces is gathered here: first its header, then its body.
  const header = new Uint8Array(HEADER_BYTES);
  let headerFill = 0;
  let body: Uint8Array | undefined;
  let bodyFill = 0;
  let kind = MESSAGE_FRAME;

  const deliver = (bytes: Uint8Array, start: number, end: number): void => {
    if (kind === MESSAGE_FRAME) receiver.message(utf8.read(bytes, start, end));
    else {
      // A copy for every kind of array: the slice of a Node buffer would be a view.
      // guard: chunk-copied
      const content = new Uint8Array(bytes.subarray(start + STREAM_ID_BYTES, end));
      receiver.chunk(readUint32(bytes, start), content);
    }
  };

  return (bytes) => {
    let at = 0;
    while (at < bytes.length) {
      if (body !== undefined) {
        const take = Math.min(body.length - bodyFill, bytes.length - at);
        body.set(bytes.subarray(at, at + take), bodyFill);
        bodyFill += take;
        at += take;
        if (bodyFill === body.length) {
          const whole = body;
          body = undefined;
          deliver(whole, 0, whole.length);
        }
        continue;
      }
      const take = Math.min(HEADER_BYTES - headerFill, bytes.length - at);
      header.set(bytes.subarray(at, at + take), headerFill);
      headerFill += take;
      at += take;
      if (headerFill < HEADER_BYTES) return;
      headerFill = 0;
      const length = checkLength(header, limits);
      kind = header[4] ?? MESSAGE_FRAME;
      if (bytes.length - at >= length) {
        // The usual case: the whole frame is in this piece and needs no copy.
        deliver(bytes, at, at + length);
        at += length;
      } else {
        body = new Uint8Array(length);
        bodyFill = 0;
      }
    }
  };
}

function checkLength(header: Uint8Array, limits: WireLimits): number {
  const length = readUint32(header, 0);
  const kind = header[4];
  if (kind === MESSAGE_FRAME) {
    // guard: frame-length-cap
    if (length > limits.maxMessageBytes) {
      throw new WireViolation(`a message of ${length} bytes (at most ${limits.maxMessageBytes})`);
    }
  } else if (kind === CHUNK_FRAME) {
    // guard: chunk-length-bounds
    if (length < STREAM_ID_BYTES || length > limits.maxChunkBytes + STREAM_ID_BYTES) {
      throw new WireViolation(`a chunk of ${length} bytes (at most ${limits.maxChunkBytes})`);
    }
  } else {
    // guard: frame-kind-known
    throw new WireViolation(`a frame of kind ${String(kind)}`);
  }
  return length;
}

/** The part of Node's `Buffer` that the wire uses. */
export interface BufferCapability {
  byteLength(text: string): number;
  isBuffer(bytes: Uint8Array): bytes is BufferLike;
  from(memory: ArrayBufferLike, offset: number, length: number): BufferLike;
}

interface BufferLike extends Uint8Array {
  write(text: string, offset: number): number;
  toString(encoding?: 'utf8', start?: number, end?: number): string;
}

/** UTF-8 by Node's buffers. */
export function makeUtf8(buffers: BufferCapability): Utf8 {
  const wrap = (bytes: Uint8Array): BufferLike =>
    buffers.isBuffer(bytes)
      ? bytes
      : buffers.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    byteLength: (text) => buffers.byteLength(text),
    write: (text, target, offset) => {
      wrap(target).write(text, offset);
    },
    read: (bytes, start, end) => wrap(bytes).toString('utf8', start, end),
  };
}

/** Splits incoming bytes into whole frames, each a copy. Does not check their content or length. */
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

export interface FrameSpec {
  readonly utf8: Utf8;
  /** An array of that many bytes. Its content is not defined. */
  readonly allocate: (bytes: number) => Uint8Array;
}

/** One message as a frame of its own. */
export function frameOf(text: string, { utf8, allocate }: FrameSpec): Uint8Array {
  const length = utf8.byteLength(text);
  const frame = allocate(HEADER_BYTES + length);
  writeHeader(frame, 0, length, MESSAGE_FRAME);
  utf8.write(text, frame, HEADER_BYTES);
  return frame;
}
