import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import type { Segments } from './path.js';
import { demandFile } from './reading.js';
import { spend, type Usage } from './usage.js';
import { atSpot, type Ground, type Spot } from './walk.js';

/** Content as it arrives: `undefined` at its end. */
export type Content = () => Promise<Uint8Array | undefined>;

/** Where the caps of one file are, besides those of the whole store. */
export interface WriteSpec {
  readonly maxBytes: number;
  readonly content: Content;
}

/** Replaces a file, whole or not at all; answers how many bytes it has now. */
export function writeFile(
  ground: Ground,
  segments: Segments,
  usage: Usage,
  spec: WriteSpec,
): Promise<number> {
  return atSpot(ground, segments, usage, async (spot) => {
    const before = await fileThere(ground, spot);
    await using drafts = await ground.store.drafts();
    const draft = drafts.at(randomUUID());
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      // A draft counts as what is there already would make room for: the disk holds one too many.
      const room = ground.store.limits.maxBytes - usage.bytes + (before ?? 0);
      const bytes = await pour(ground, handle, spec, room, spot.path);
      const more = { bytes: bytes - (before ?? 0), files: before === undefined ? 1 : 0 };
      spend(usage, more, ground.store.limits, ground.refusals);
      await rename(draft, spot.directory.at(spot.name));
      return bytes;
    } catch (error) {
      await unlink(draft).catch(() => {});
      throw error;
    } finally {
      await handle.close();
    }
  });
}

/** Adds to the end of a file, which is made where it is missing; what fails half-way is cut off. */
export function appendFile(
  ground: Ground,
  segments: Segments,
  usage: Usage,
  spec: WriteSpec,
): Promise<number> {
  return atSpot(ground, segments, usage, async (spot) => {
    const before = await fileThere(ground, spot);
    if (before === undefined) {
      spend(usage, { bytes: 0, files: 1 }, ground.store.limits, ground.refusals);
    }
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const handle = await open(spot.directory.at(spot.name), flags, 0o600);
    const { size } = await handle.stat();
    try {
      const room = ground.store.limits.maxBytes - usage.bytes;
      const left = { ...spec, maxBytes: spec.maxBytes - size };
      const bytes = await pour(ground, handle, left, room, spot.path);
      spend(usage, { bytes, files: 0 }, ground.store.limits, ground.refusals);
      return bytes;
    } catch (error) {
      await handle.truncate(size);
      throw error;
    } finally {
      await handle.close();
    }
  });
}

/** The size of the file that is there; throws for what is there and no file. */
async function fileThere(ground: Ground, spot: Spot): Promise<number | undefined> {
  const there = await spot.directory.look(spot.name);
  return there === undefined ? undefined : (await demandFile(ground, spot)).size;
}

/** Writes content as it comes. Stops before the byte that would be too many. */
async function pour(
  { refusals }: Ground,
  handle: FileHandle,
  { content, maxBytes }: WriteSpec,
  room: number,
  path: string,
): Promise<number> {
  let total = 0;
  for (let bytes = await content(); bytes !== undefined; bytes = await content()) {
    total += bytes.length;
    if (total > maxBytes) throw refusals.limit('maxFileBytes', `${path} would be too large`);
    if (total > room) throw refusals.limit('maxBytes', `there is no room for ${path}`);
    for (let at = 0; at < bytes.length;) {
      at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
    }
  }
  return total;
}
