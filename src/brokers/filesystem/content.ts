import type { FileHandle } from 'node:fs/promises';

import type { ByteSource } from '../../../sandbox/wire/streams.js';

const CHUNK_BYTES = 64 * 1024;
/** Room for what may come after the expected end; mostly nothing does. */
const PROBE_BYTES = 4 * 1024;

/**
 * The content of an open file, read as it is pulled. `end` is called once, when it has been read,
 * cancelled or broke off, and closes the file.
 */
export function contentOf(
  handle: FileHandle,
  spec: {
    /** Its size when it was opened: what is to be expected, and no more than that. */
    readonly bytes: number;
    readonly maxBytes: number;
    readonly tooLong: () => Error;
    /** Why no more may be read, if so. */
    readonly stopped: () => Error | undefined;
    readonly onBytes: (count: number) => void;
    /** What to tell a plugin of an error of the system. */
    readonly explain: (error: unknown) => Error;
    readonly end: (error?: unknown) => void;
  },
): ByteSource {
  let total = 0;
  let done = false;

  const read = async (): Promise<Uint8Array | undefined> => {
    const stopped = spec.stopped();
    if (stopped !== undefined) throw stopped;
    // A fresh array each time: what was pulled is somebody else's now.
    const room = total < spec.bytes ? Math.min(CHUNK_BYTES, spec.bytes - total) : PROBE_BYTES;
    const bytes = new Uint8Array(room);
    const { bytesRead } = await handle.read(bytes, 0, room, null);
    total += bytesRead;
    spec.onBytes(bytesRead);
    // Counted again, for a file may grow, and what /proc calls empty is not.
    if (total > spec.maxBytes) throw spec.tooLong();
    return bytesRead === 0 ? undefined : bytes.subarray(0, bytesRead);
  };

  return {
    pull: async () => {
      if (done) return undefined;
      try {
        const bytes = await read();
        if (bytes === undefined) {
          done = true;
          spec.end();
        }
        return bytes;
      } catch (error) {
        const explained = spec.explain(error);
        spec.end(explained);
        throw explained;
      }
    },
    cancel: () => {
      done = true;
      spec.end();
    },
  };
}
