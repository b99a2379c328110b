import { constants, existsSync, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir } from 'node:fs/promises';

/**
 * A directory that is held open, and what lies in it by name. While it is held nobody can put
 * another in its place: names are looked up in the directory itself (`/proc/self/fd/7/name`) and not
 * along a path that may have been swapped for a link meanwhile. No link is ever followed.
 *
 * Where the system has no such place (macOS), names are looked up along the path: whoever else can
 * write in the storage directory could swap a directory for a link in the moment between.
 */
export class Directory implements AsyncDisposable {
  readonly #handle: FileHandle;
  readonly #place: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#place = DESCRIPTORS === undefined ? path : `${DESCRIPTORS}/${handle.fd}`;
  }

  /** Opens the directory at a path of the operator's, which may have links. */
  static async open(path: string): Promise<Directory> {
    return new Directory(await open(path, constants.O_RDONLY | constants.O_DIRECTORY), path);
  }

  /** The path by which one name in it is reached. */
  at(name: string): string {
    return `${this.#place}/${name}`;
  }

  /** Rejects with the system's error where there is none, or what is there is no directory. */
  async child(name: string): Promise<Directory> {
    const path = this.at(name);
    const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
    return new Directory(await open(path, flags), path);
  }

  /** Whether there was none before. */
  async make(name: string): Promise<boolean> {
    try {
      await mkdir(this.at(name), { mode: 0o700 });
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** What is there under that name, links not followed; `undefined` where nothing is. */
  async look(name: string): Promise<Stats | undefined> {
    try {
      return await lstat(this.at(name));
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  names(): Promise<string[]> {
    return readdir(this.#place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

const DESCRIPTORS = existsSync('/proc/self/fd') ? '/proc/self/fd' : undefined;

export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
