import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir } from 'node:fs/promises';
import type { StorageLimits } from '../limits.js';
import type { Refusals } from './refusals.js';
import { systemCode } from '../../errors.js';

/**
 * An open directory, which cannot be replaced while it is open. Names are resolved in the directory
 * itself (`/proc/self/fd/7/name`), not along a path that may have been replaced by a link. Links
 * are never followed.
 *
 * Without `/proc/self/fd` (macOS), names are resolved along the path. A process that can write in
 * the storage directory could then replace a directory by a link between two steps.
 */
export class Directory implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #place: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#place = DESCRIPTORS === undefined ? path : `${DESCRIPTORS}/${handle.fd}`;
  }

  /** Opens a directory of the operator. Its path may have links. */
  static async open(path: string): Promise<Directory> {
    return new Directory(await open(path, constants.O_RDONLY | constants.O_DIRECTORY), path);
  }

  /** The path of a name in it. */
  pathOf(name: string): string {
    return `${this.#place}/${name}`;
  }

  /** Rejects with the system's error if it does not exist or is not a directory. */
  async child(name: string): Promise<Directory> {
    const path = this.pathOf(name);
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
    return new Directory(await open(path, flags), path);
  }

  /** Creates a directory. Returns whether it is new. */
  async mkdir(name: string): Promise<boolean> {
    try {
      await mkdir(this.pathOf(name), { mode: 0o700 });
      return true;
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** The stats of a name, without following links; `undefined` if it does not exist. */
  async stat(name: string): Promise<Stats | undefined> {
    try {
      return await lstat(this.pathOf(name));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Writes its names to the disk. */
  async sync(): Promise<void> {
    await this.#handle.sync();
  }

  names(): Promise<string[]> {
    return readdir(this.#place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

const DESCRIPTORS = existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined;

/** The contents of a plugin's storage. Directories count as files. */
export interface Usage {
  bytes: number;
  files: number;
}

/** Adds to the usage, or throws a refusal and adds nothing. A decrease is always allowed. */
export function charge(usage: Usage, more: Usage, limits: StorageLimits, refusals: Refusals): void {
  // guard: storage-file-quota
  if (more.files > 0 && usage.files + more.files > limits.maxFiles) {
    throw refusals.limit('maxFiles', 'it has the maximum of files and directories');
  }
  if (more.bytes > 0 && usage.bytes + more.bytes > limits.maxBytes) {
    throw refusals.limit('maxBytes', `it would hold ${usage.bytes + more.bytes} bytes`);
  }
  usage.files += more.files;
  usage.bytes += more.bytes;
}

/** Counts the entries below a directory, up to `most`. Does not follow links. */
export async function measure(
  directory: Directory,
  most: { files: number; depth: number },
): Promise<Usage & { readonly height: number }> {
  const usage = { bytes: 0, files: 0, height: 0 };
  for (const name of await directory.names()) {
    // guard: storage-scan-cap
    if (usage.files >= most.files) break;
    const stats = await directory.stat(name);
    if (stats === undefined) continue;
    usage.files += 1;
    usage.height = Math.max(usage.height, 1);
    if (stats.isFile()) usage.bytes += stats.size;
    if (!stats.isDirectory() || most.depth <= 0) continue;
    await using child = await directory.child(name);
    const below = await measure(child, { files: most.files - usage.files, depth: most.depth - 1 });
    usage.bytes += below.bytes;
    usage.files += below.files;
    usage.height = Math.max(usage.height, below.height + 1);
  }
  return usage;
}
