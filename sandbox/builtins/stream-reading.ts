import { Buffer } from './buffer.js';
import { readState } from './stream-states.js';

/** What these functions need of a stream. */
export interface Reading {
  readonly destroyed: boolean;
  readonly readableLength: number;
  readonly readableHighWaterMark: number;
  readonly readableObjectMode: boolean;
  readonly readableFlowing: boolean | null;
  readable: boolean;
  readableEnded: boolean;
  emit(name: string, ...args: unknown[]): boolean;
  destroy(): unknown;
  _read(size: number): void;
}

/** Hands on what is there, asks for more, and says when there is no more. */
export function advance(stream: Reading): void {
  const state = readState(stream);
  if (stream.destroyed && !state.isComplete) return;
  if (stream.readableFlowing === true) {
    // A listener may pause the stream, or throw.
    while (isFlowing(stream) && state.chunks.length > 0) stream.emit('data', state.chunks.shift());
  } else if (state.chunks.length > 0 || state.isComplete) stream.emit('readable');
  if (state.isComplete) {
    const isRead = state.chunks.length === 0 && stream.readableFlowing !== null;
    if (isRead && !stream.readableEnded) finish(stream);
  } else if (
    !state.isAsked &&
    stream.readableFlowing !== false &&
    stream.readableLength < stream.readableHighWaterMark
  ) {
    state.isAsked = true;
    stream._read(stream.readableHighWaterMark);
  }
}

function isFlowing(stream: Reading): boolean {
  return stream.readableFlowing === true;
}

function finish(stream: Reading): void {
  stream.readableEnded = true;
  stream.readable = false;
  stream.emit('end');
  // The writing half of a duplex may have more to do.
  if (Reflect.get(stream, 'writableFinished') !== false) stream.destroy();
}

export function sizeOf(stream: Reading, chunk: unknown): number {
  return stream.readableObjectMode ? 1 : Number(Reflect.get(Object(chunk), 'length'));
}

/** Of what is there, that much; `null` where there is less, and more is to come. */
export function takeChunk(stream: Reading, size: number | undefined): unknown {
  const state = readState(stream);
  if (state.chunks.length === 0) return null;
  if (stream.readableObjectMode) return state.chunks.shift();
  const all =
    state.decoder === undefined
      ? Buffer.concat(state.chunks.filter((chunk) => chunk instanceof Uint8Array))
      : state.chunks.join('');
  if (size !== undefined && size > all.length && !state.isComplete) return null;
  const end = size ?? all.length;
  state.chunks = end < all.length ? [all.slice(end)] : [];
  return all.slice(0, end);
}
