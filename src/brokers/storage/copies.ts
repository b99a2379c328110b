import { makeSemaphore } from '../../../sandbox/wire/semaphore.js';
import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import type { ByteSource } from '../../../sandbox/wire/streams.js';
import type { StorageLimits } from '../limits.js';
import type { OpenRecord, StorageRecord } from '../record.js';
import { listPath, openFile } from './reading.js';
import type { Refusals } from './refusals.js';
import type { AreaContext } from './walk.js';

/** All of an area at one moment, for a guest whose plugin reads synchronously. */
export interface StorageCopy {
  readonly generation: number;
  /** Absent if nothing changed since the generation that the guest has. */
  readonly entries?: readonly CopiedEntry[];
  /** The content of the `held` files, one after the other. Read it to its end, or cancel it. */
  readonly content?: ByteSource;
}

export interface CopiedEntry extends StorageEntry {
  /** Whether the copy has the entry's content. It omits large files, and files that do not fit. */
  readonly held: boolean;
}

/** Copies areas, `maxCopies` at a time: each is in memory until its guest has read it. */
export interface Copies {
  make(
    context: AreaContext,
    since: number | undefined,
    ended: AbortSignal,
    record: OpenRecord<StorageRecord>,
  ): Promise<StorageCopy>;
}

export function makeCopies({ maxCopies, maxQueued }: StorageLimits, refusals: Refusals): Copies {
  const semaphore = makeSemaphore({ maxActive: maxCopies, maxQueued, full: refusals.queueFull });
  return {
    make: async (context, since, ended, record) => {
      const release = await semaphore.acquire(ended);
      try {
        const { content, ...rest } = await context.store.reading(() => copyArea(context, since));
        if (content !== undefined) {
          record.fields.bytesRead = content.length;
          // guard: storage-copies-counted
          return { ...rest, content: sourceOf(content, release) };
        }
        release();
        return rest;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

function sourceOf(content: Uint8Array, end: () => void): ByteSource {
  const left = [content];
  return {
    pull: async () => {
      const bytes = left.shift();
      if (bytes === undefined) end();
      return bytes;
    },
    cancel: () => {
      left.length = 0;
      end();
    },
  };
}

/** Copies an area in the order of its names. Nothing may change the area meanwhile. */
async function copyArea(
  context: AreaContext,
  since: number | undefined,
): Promise<Omit<StorageCopy, 'content'> & { readonly content?: Uint8Array }> {
  const { generation, limits } = context.store;
  if (since === generation) return { generation };
  const contents: Uint8Array[] = [];
  const entries: CopiedEntry[] = [];
  let room = limits.maxCopyBytes;
  for (const entry of await listPath(context, [], true)) {
    const held =
      entry.kind === 'file' && entry.bytes <= limits.maxCopyFileBytes && entry.bytes <= room;
    if (!held) {
      entries.push({ ...entry, held });
      continue;
    }
    const content = await readWhole(context, entry.name);
    room -= content.length;
    contents.push(content);
    entries.push({ ...entry, bytes: content.length, held });
  }
  return { generation, entries, content: Buffer.concat(contents) };
}

/** Reads at most as many bytes as the file had when it was opened. */
async function readWhole(context: AreaContext, path: string): Promise<Uint8Array> {
  const { handle, bytes } = await openFile(context, path.split('/'));
  try {
    const content = new Uint8Array(Math.min(bytes, context.store.limits.maxCopyFileBytes));
    const { bytesRead } = await handle.read(content, 0, content.length, 0);
    return content.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
