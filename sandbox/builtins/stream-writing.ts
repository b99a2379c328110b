import { soon, type Done } from './stream-base.js';
import { writeState } from './stream-states.js';

/** What these functions need of a stream. */
export interface Writing {
  readonly destroyed: boolean;
  writable: boolean;
  writableEnded: boolean;
  writableFinished: boolean;
  writableNeedDrain: boolean;
  emit(name: string, ...args: unknown[]): boolean;
  destroy(error?: unknown): unknown;
  _write(chunk: unknown, encoding: string, done: Done): void;
  _final(done: Done): void;
}

/** Hands the next chunk on, one at a time; says when there is room again, and when all is done. */
export function writeNext(stream: Writing): void {
  const state = writeState(stream);
  if (state.isWriting || stream.destroyed) return;
  const [next] = state.waiting;
  if (next === undefined) {
    if (stream.writableNeedDrain && !stream.writableEnded) {
      stream.writableNeedDrain = false;
      stream.emit('drain');
    }
    finish(stream);
    return;
  }
  state.isWriting = true;
  stream._write(next.chunk, next.encoding, (error) => {
    state.waiting.shift();
    state.isWriting = false;
    soon(() => {
      next.done?.(error);
      if (error !== undefined && error !== null) stream.destroy(error);
      else writeNext(stream);
    });
  });
}

function finish(stream: Writing): void {
  if (!stream.writableEnded || stream.writableFinished || writeState(stream).isWriting) return;
  stream.writableFinished = true;
  stream.writable = false;
  stream._final((error) => {
    soon(() => {
      if (error !== undefined && error !== null) {
        stream.destroy(error);
        return;
      }
      stream.emit('finish');
      // The reading half of a duplex may have more to give.
      if (Reflect.get(stream, 'readableEnded') !== false) stream.destroy();
    });
  });
}
