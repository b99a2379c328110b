import { rename, rmdir, unlink } from 'node:fs/promises';
import type { Directory } from './directory.js';
import type { Segments } from './path.js';
import { demandFile, isMissing, isOwnFile } from './reading.js';
import { measure, spend, type Usage } from './usage.js';
import { atSpot, type Ground, type Spot } from './walk.js';

/** Makes a directory, and those on the way to it. One that is there is as good. */
export async function makeDirectory(
  ground: Ground,
  segments: Segments,
  usage: Usage,
): Promise<void> {
  if (segments.length === 0) return;
  await atSpot(ground, segments, usage, async ({ directory, name, path }) => {
    const there = await directory.look(name);
    if (there?.isDirectory() === true) return;
    if (there !== undefined) throw ground.refusals.failed(path, 'EEXIST');
    spend(usage, { bytes: 0, files: 1 }, ground.store.limits, ground.refusals);
    await directory.make(name);
  });
}

/** Whether anything was there. The top of an area stays, whatever is asked. */
export async function deletePath(
  ground: Ground,
  segments: Segments,
  usage: Usage,
  recursive: boolean,
): Promise<boolean> {
  if (segments.length === 0) {
    throw ground.refusals.malformed('is the top of its storage, which cannot be deleted');
  }
  return atSpot(ground, segments, undefined, async ({ directory, name }) => {
    const there = await directory.look(name);
    if (there === undefined) return false;
    await remove(directory, name, usage, recursive);
    return true;
  }).catch((error: unknown) => {
    // Nothing on the way to it either.
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
  const there = await directory.look(name);
  if (there === undefined) return;
  if (there.isDirectory()) {
    if (recursive) {
      await using child = await directory.child(name);
      for (const below of await child.names()) await remove(child, below, usage, true);
    }
    await rmdir(directory.at(name));
  } else {
    // A link that somebody planted goes, and what it leads to stays.
    await unlink(directory.at(name));
  }
  usage.files -= 1;
  if (there.isFile()) usage.bytes -= there.size;
}

/** Gives a file or a directory another name. A directory is never put in the place of anything. */
export async function movePath(
  ground: Ground,
  from: Segments,
  to: Segments,
  usage: Usage,
  replace: boolean,
): Promise<void> {
  const { refusals } = ground;
  if (from.length === 0 || to.length === 0) {
    throw refusals.malformed('is the top of its storage, which cannot be moved');
  }
  await atSpot(ground, from, undefined, async (source) => {
    const height = await heightOf(ground, source);
    if (from.join('/') === to.join('/')) return;
    if (from.every((name, index) => to[index] === name))
      throw refusals.failed(source.path, 'EINVAL');
    if (to.length + Math.max(0, height - 1) > ground.store.limits.maxDepth) {
      throw refusals.limit('maxDepth', 'what it moves would lie too deep');
    }
    await atSpot(ground, to, usage, async (target) => {
      const there = await target.directory.look(target.name);
      if (there !== undefined && (!replace || height > 0 || there.isDirectory())) {
        throw refusals.failed(target.path, 'EEXIST');
      }
      if (there !== undefined && !isOwnFile(there)) throw refusals.foreign(target.path);
      await rename(source.directory.at(source.name), target.directory.at(target.name));
      if (there === undefined) return;
      usage.files -= 1;
      usage.bytes -= there.size;
    });
  });
}

/** 0 for a file; for a directory 1, and one more for each level below it. */
async function heightOf(ground: Ground, spot: Spot): Promise<number> {
  const there = await spot.directory.look(spot.name);
  if (there?.isDirectory() !== true) {
    await demandFile(ground, spot);
    return 0;
  }
  await using directory = await spot.directory.child(spot.name);
  const { maxFiles, maxDepth } = ground.store.limits;
  const { height } = await measure(directory, { files: maxFiles, depth: maxDepth });
  return height + 1;
}
