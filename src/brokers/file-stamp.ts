import type { FileHandle } from 'node:fs/promises';

/** Names the content of an open file: another file, or a later change, has another stamp. */
export async function fileStamp(handle: FileHandle): Promise<string> {
  const { ino, size, mtimeNs } = await handle.stat({ bigint: true });
  return `${ino}-${size}-${mtimeNs}`;
}
