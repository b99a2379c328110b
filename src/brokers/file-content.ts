import type { FileHandle } from 'node:fs/promises';
import type { ByteSource } from '../../sandbox/wire/streams.js';

const CHUNK_BYTES = 64 * 1024;
/** Room for bytes after the expected end. */
const PROBE_BYTES = 4 * 1024;

/**
 * The content of an open file. `end` closes the file. It is called once: at the end of the content,
 * on cancel, or on failure.
 */
export function contentOf(
  handle: FileHandle,
  spec: {
    /** The file's size when it was opened. It may change. */
    readonly bytes: number;
    readonly maxBytes: number;
    readonly tooLong: () => Error;
    /** The error if reads are not allowed any more. */
    readonly stopped: () => Error | undefined;
    readonly onBytes: (count: number) => void;
    /** Explains a system error to the plugin. */
    readonly explain: (error: unknown) => Error;
    readonly end: (error?: unknown) => void;
  },
): ByteSource {
  let total = 0;
  let done = false;

  const read = async (): Promise<Uint8Array | undefined> => {
    const stopped = spec.stopped();
    if (stopped !== undefined) throw stopped;
    // A fresh array each time: the consumer owns what it pulled.
    const room = total < spec.bytes ? Math.min(CHUNK_BYTES, spec.bytes - total) : PROBE_BYTES;
    const bytes = new Uint8Array(room);
    const { bytesRead } = await handle.read(bytes, 0, room, null);
    total += bytesRead;
    spec.onBytes(bytesRead);
    // Bytes are counted again: a file may grow, and files in /proc report a size of 0.
    // guard: read-byte-cap
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

/**
 * The first `bytes` of an open file, as a stream for the host. The file is closed at the end, when
 * the stream is cancelled, or when a read fails. What is appended meanwhile is left out. `check` rejects
 * if the bytes that were just read may not be passed on.
 */
export function contentStream(
  handle: FileHandle,
  bytes: number,
  check: () => Promise<void>,
): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = new Uint8Array(Math.min(CHUNK_BYTES, left));
        try {
          const { bytesRead } =
            left === 0 ? NOTHING : await handle.read(chunk, 0, chunk.length, null);
          left -= bytesRead;
          await check();
          if (bytesRead > 0) return controller.enqueue(chunk.subarray(0, bytesRead));
          await handle.close();
          controller.close();
        } catch (error) {
          await handle.close().catch(() => {});
          throw error;
        }
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  );
}

const NOTHING = { bytesRead: 0 };
