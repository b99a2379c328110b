import type { FileEntry } from '../endowments/files/tree.js';

/** What `stat` tells: what kind it is, how large, and when it was changed. */
export class Stats {
  readonly dev: number = 0;
  readonly ino: number = 0;
  readonly nlink: number = 1;
  readonly uid: number = 0;
  readonly gid: number = 0;
  readonly mode: number;
  readonly size: number;
  readonly blksize: number = 4096;
  readonly blocks: number;
  readonly atimeMs: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthtimeMs: number;
  readonly #kind: FileEntry['kind'];

  constructor({ kind, bytes, modifiedMs }: FileEntry) {
    this.#kind = kind;
    this.mode = kind === 'file' ? 0o100600 : 0o40700;
    this.size = bytes;
    this.blocks = Math.ceil(bytes / 512);
    this.atimeMs = modifiedMs;
    this.mtimeMs = modifiedMs;
    this.ctimeMs = modifiedMs;
    this.birthtimeMs = modifiedMs;
  }

  get atime(): Date {
    return new Date(this.atimeMs);
  }
  get mtime(): Date {
    return new Date(this.mtimeMs);
  }
  get ctime(): Date {
    return new Date(this.ctimeMs);
  }
  get birthtime(): Date {
    return new Date(this.birthtimeMs);
  }

  isFile(): boolean {
    return this.#kind === 'file';
  }
  isDirectory(): boolean {
    return this.#kind === 'directory';
  }
  isSymbolicLink(): boolean {
    return false;
  }
  isFIFO(): boolean {
    return false;
  }
  isSocket(): boolean {
    return false;
  }
  isBlockDevice(): boolean {
    return false;
  }
  isCharacterDevice(): boolean {
    return false;
  }
}

/** An entry of a directory, as `readdir` gives it with `withFileTypes`. */
export class Dirent {
  readonly name: string;
  readonly parentPath: string;
  readonly path: string;
  readonly #kind: FileEntry['kind'];

  constructor({ name, kind }: FileEntry, parentPath: string) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    this.#kind = kind;
  }

  isFile(): boolean {
    return this.#kind === 'file';
  }
  isDirectory(): boolean {
    return this.#kind === 'directory';
  }
  isSymbolicLink(): boolean {
    return false;
  }
}
