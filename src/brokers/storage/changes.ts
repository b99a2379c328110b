import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink, rmdir } from 'node:fs/promises';
import type { Segments } from './request.js';
import { fileStamp } from '../file-stamp.js';
import { requireFile, isMissing, isOwnFile } from './reading.js';
import { charge, type Usage, type Directory, measure } from './directory.js';
import { atPath, type AreaContext, type Location } from './walk.js';

/** Arriving content: `undefined` at its end. */
export type Content = () => Promise<Uint8Array | undefined>;

/** The content of one write, and the cap of its file. */
export interface WriteSpec {
  readonly maxBytes: number;
  readonly content: Content;
}

/** What a write or an append did. */
export interface WriteAnswer {
  /** The bytes that were written. */
  readonly bytes: number;
  /** Whether there was a file. */
  readonly existed: boolean;
  readonly stamp: string;
}

/** Replaces a file completely or not at all. */
export function writeFile(
  context: AreaContext,
  segments: Segments,
  usage: Usage,
  spec: WriteSpec,
): Promise<WriteAnswer> {
  return atPath(context, segments, usage, async (location) => {
    const before = await sizeIfPresent(context, location);
    await using drafts = await context.store.drafts();
    const draft = drafts.pathOf(randomUUID());
    const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
    const handle = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      // The draft may use the bytes of the file that it replaces: the disk has both for a moment.
      const room = context.store.limits.maxBytes - usage.bytes + (before ?? 0);
      const bytes = await writeContent(context, handle, spec, room, location.path);
      const more = { bytes: bytes - (before ?? 0), files: before === undefined ? 1 : 0 };
      charge(usage, more, context.store.limits, context.refusals);
      const stamp = await fileStamp(handle);
      await rename(draft, location.directory.pathOf(location.name));
      return { bytes, existed: before !== undefined, stamp };
    } catch (error) {
      await unlink(draft).catch(() => {});
      throw error;
    } finally {
      await handle.close();
    }
  });
}

/** Appends to a file, and creates it if it is missing. A failed append is cut off. */
export function appendFile(
  context: AreaContext,
  segments: Segments,
  usage: Usage,
  spec: WriteSpec,
): Promise<WriteAnswer> {
  return atPath(context, segments, usage, async (location) => {
    const before = await sizeIfPresent(context, location);
    if (before === undefined) {
      charge(usage, { bytes: 0, files: 1 }, context.store.limits, context.refusals);
    }
    const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    const handle = await open(location.directory.pathOf(location.name), flags, 0o600);
    const { size } = await handle.stat();
    try {
      const room = context.store.limits.maxBytes - usage.bytes;
      const left = { ...spec, maxBytes: spec.maxBytes - size };
      const bytes = await writeContent(context, handle, left, room, location.path);
      charge(usage, { bytes, files: 0 }, context.store.limits, context.refusals);
      return { bytes, existed: before !== undefined, stamp: await fileStamp(handle) };
    } catch (error) {
      await handle.truncate(size);
      throw error;
    } finally {
      await handle.close();
    }
  });
}

/** The file's size, or `undefined` if there is none. Throws for an entry that is not a file. */
async function sizeIfPresent(
  context: AreaContext,
  location: Location,
): Promise<number | undefined> {
  const there = await location.directory.stat(location.name);
  return there === undefined ? undefined : (await requireFile(context, location)).size;
}

/** Writes content as it arrives. Stops before the byte that would exceed a limit. */
async function writeContent(
  { refusals }: AreaContext,
  handle: FileHandle,
  { content, maxBytes }: WriteSpec,
  room: number,
  path: string,
): Promise<number> {
  let total = 0;
  for (let bytes = await content(); bytes !== undefined; bytes = await content()) {
    total += bytes.length;
    if (total > maxBytes) throw refusals.limit('maxFileBytes', `${path} would be too large`);
    // guard: storage-byte-quota
    if (total > room) throw refusals.limit('maxBytes', `there is no room for ${path}`);
    for (let at = 0; at < bytes.length;) {
      at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
    }
  }
  return total;
}

/** Makes a directory and its parents. An existing directory is not an error. */
export async function makeDirectory(
  context: AreaContext,
  segments: Segments,
  usage: Usage,
): Promise<void> {
  if (segments.length === 0) return;
  await atPath(context, segments, usage, async ({ directory, name, path }) => {
    const there = await directory.stat(name);
    if (there?.isDirectory() === true) return;
    if (there !== undefined) throw context.refusals.failed(path, 'EEXIST');
    charge(usage, { bytes: 0, files: 1 }, context.store.limits, context.refusals);
    await directory.mkdir(name);
  });
}

/** Deletes a path. Answers whether it existed. The top of an area cannot be deleted. */
export async function deletePath(
  context: AreaContext,
  segments: Segments,
  usage: Usage,
  recursive: boolean,
): Promise<boolean> {
  if (segments.length === 0) {
    throw context.refusals.malformed('is the top of its storage, which cannot be deleted');
  }
  return atPath(context, segments, undefined, async ({ directory, name }) => {
    const there = await directory.stat(name);
    if (there === undefined) return false;
    await remove(directory, name, usage, recursive);
    return true;
  }).catch((error: unknown) => {
    // Its parent does not exist either.
    if (isMissing(error)) return false;
    throw error;
  });
}

async function remove(
  directory: Directory,
  name: string,
  usage: Usage,
  recursive: boolean,
): Promise<void> {
  const there = await directory.stat(name);
  if (there === undefined) return;
  if (there.isDirectory()) {
    if (recursive) {
      await using child = await directory.child(name);
      for (const below of await child.names()) await remove(child, below, usage, true);
    }
    await rmdir(directory.pathOf(name));
  } else {
    // A link from another source is deleted; its target stays.
    await unlink(directory.pathOf(name));
  }
  usage.files -= 1;
  if (there.isFile()) usage.bytes -= there.size;
}

/** Moves a file or a directory. A directory never replaces anything. */
export async function movePath(
  context: AreaContext,
  from: Segments,
  to: Segments,
  usage: Usage,
  replace: boolean,
): Promise<void> {
  const { refusals } = context;
  if (from.length === 0 || to.length === 0) {
    throw refusals.malformed('is the top of its storage, which cannot be moved');
  }
  await atPath(context, from, undefined, async (source) => {
    const height = await heightOf(context, source);
    if (from.join('/') === to.join('/')) return;
    if (from.every((name, index) => to[index] === name))
      throw refusals.failed(source.path, 'EINVAL');
    if (to.length + Math.max(0, height - 1) > context.store.limits.maxDepth) {
      throw refusals.limit('maxDepth', 'the moved directory would be too deep');
    }
    await atPath(context, to, usage, async (target) => {
      const there = await target.directory.stat(target.name);
      if (there !== undefined && (!replace || height > 0 || there.isDirectory())) {
        throw refusals.failed(target.path, 'EEXIST');
      }
      if (there !== undefined && !isOwnFile(there)) throw refusals.foreign(target.path);
      await rename(source.directory.pathOf(source.name), target.directory.pathOf(target.name));
      if (there === undefined) return;
      usage.files -= 1;
      usage.bytes -= there.size;
    });
  });
}

/** 0 for a file; for a directory 1 and one more for each level below it. */
async function heightOf(context: AreaContext, location: Location): Promise<number> {
  const there = await location.directory.stat(location.name);
  if (there?.isDirectory() !== true) {
    await requireFile(context, location);
    return 0;
  }
  await using directory = await location.directory.child(location.name);
  const { maxFiles, maxDepth } = context.store.limits;
  const { height } = await measure(directory, { files: maxFiles, depth: maxDepth });
  return height + 1;
}
