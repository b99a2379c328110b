import type { StorageEntry } from '../../../sandbox/wire/storage.js';
import { listPath, openFile } from './reading.js';
import type { Ground } from './walk.js';

/** All of an area at one moment, for a guest whose plugin reads without waiting. */
export interface AreaCopy {
  readonly generation: number;
  /** Absent where nothing has changed since the generation that the guest has. */
  readonly entries?: readonly CopiedEntry[];
  /** What the files hold that are `held`, one after the other. */
  readonly content?: Uint8Array;
}

export interface CopiedEntry extends StorageEntry {
  /** Whether its content is in the copy. That of large files is not, nor what the copy has no room for. */
  readonly held: boolean;
}

/** Copies an area, small files first come first. Runs where nothing changes it meanwhile. */
export async function copyArea(ground: Ground, since: number | undefined): Promise<AreaCopy> {
  const { generation, limits } = ground.store;
  if (since === generation) return { generation };
  const contents: Uint8Array[] = [];
  const entries: CopiedEntry[] = [];
  let room = limits.maxCopyBytes;
  for (const entry of await listPath(ground, [], true)) {
    const held =
      entry.kind === 'file' && entry.bytes <= limits.maxCopyFileBytes && entry.bytes <= room;
    if (!held) {
      entries.push({ ...entry, held });
      continue;
    }
    const content = await readWhole(ground, entry.name);
    room -= content.length;
    contents.push(content);
    entries.push({ ...entry, bytes: content.length, held });
  }
  return { generation, entries, content: Buffer.concat(contents) };
}

/** As many bytes as it had when it was opened, whatever is done to it meanwhile. */
async function readWhole(ground: Ground, path: string): Promise<Uint8Array> {
  const { handle, bytes } = await openFile(ground, path.split('/'));
  try {
    const content = new Uint8Array(Math.min(bytes, ground.store.limits.maxCopyFileBytes));
    const { bytesRead } = await handle.read(content, 0, content.length, 0);
    return content.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
