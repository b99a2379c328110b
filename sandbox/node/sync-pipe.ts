import { readSync, writeSync } from 'node:fs';
import { makeUtf8 } from '../wire/framing.js';
import { type Parcel, PARCEL_HEADER_BYTES, readParcel, readParcelHeader } from '../wire/sync.js';

/** The descriptor of the pipe for synchronous requests. 4 is V8's compiled code. */
const SYNC_PIPE = 5;

/** The host's end has closed. */
class HostGone extends Error {}

/**
 * Sends one parcel to the host and blocks until its answer is there. Nothing else runs in this process
 * meanwhile. `onGone` ends the process: without its host a guest is useless.
 */
export function openSyncPipe(onGone: () => never): (parcel: Uint8Array) => Parcel {
  const utf8 = makeUtf8(Buffer);
  const { allocUnsafe } = Buffer;
  const read = (length: number): Uint8Array => {
    const bytes = allocUnsafe(length);
    for (let at = 0; at < length;) {
      const count = again(() => readSync(SYNC_PIPE, bytes, at, length - at, null));
      if (count === 0) throw new HostGone();
      at += count;
    }
    return bytes;
  };
  return (parcel) => {
    try {
      for (let at = 0; at < parcel.length;) {
        at += again(() => writeSync(SYNC_PIPE, parcel, at, parcel.length - at));
      }
      const { jsonBytes, bodyBytes } = readParcelHeader(read(PARCEL_HEADER_BYTES));
      return readParcel(read(jsonBytes + bodyBytes), jsonBytes, utf8);
    } catch {
      return onGone();
    }
  };
}

/** The pipe blocks. A platform on which it does not answers EAGAIN. */
function again(work: () => number): number {
  for (;;) {
    try {
      return work();
    } catch (error) {
      const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
      if (code !== 'EAGAIN' && code !== 'EINTR') throw error;
    }
  }
}
