import type { AsyncFiles } from '../endowments/files/async-files.js';
import type { SyncFiles } from '../endowments/files/sync-files.js';
import type { FileEntry } from '../endowments/files/tree.js';
import { decode, encode, option, toPath } from './fs-arguments.js';

/** Files for asynchronous or for synchronous code. */
export type AnyFiles = AsyncFiles | SyncFiles;

/** One request to the files. */
type Step = (files: AnyFiles) => unknown;

/**
 * An operation of `node:fs`, written once for `fs.promises.x` and `fs.xSync`. It yields its
 * requests. The runner awaits the answers or not.
 */
export type Operation = Generator<Step, unknown, unknown>;

function* ask<Answer>(
  step: (files: AnyFiles) => Answer,
): Generator<Step, Awaited<Answer>, unknown> {
  // The runner returns the settled result of the step.
  return (yield step) as Awaited<Answer>;
}

export const operations: Readonly<Record<string, (...args: unknown[]) => Operation>> = {
  *readFile(path, options) {
    return decode(yield* ask((files) => files.read(toPath(path))), options);
  },
  writeFile,
  *appendFile(path, data, options) {
    const content = encode(data, options);
    yield* ask((files) => files.append(toPath(path), content));
  },
  stat,
  lstat: stat,
  *access(path) {
    yield* ask((files) => files.stat(toPath(path)));
  },
  *realpath(path) {
    const at = toPath(path);
    yield* ask((files) => files.stat(at));
    return at;
  },
  *readdir(path, options) {
    const top = toPath(path);
    const typed = option(options, 'withFileTypes') === true;
    const found: (string | Dirent)[] = [];
    const left = [''];
    for (let below = left.shift(); below !== undefined; below = left.shift()) {
      const at = below === '' ? top : `${top}/${below}`;
      const entries = yield* ask((files) => files.list(at));
      for (const entry of entries) {
        const name = below === '' ? entry.name : `${below}/${entry.name}`;
        found.push(typed ? new Dirent(entry, at) : name);
        if (entry.kind === 'directory' && option(options, 'recursive') === true) left.push(name);
      }
    }
    return found;
  },
  *mkdir(path, options) {
    const recursive = option(options, 'recursive') === true;
    yield* ask((files) => files.mkdir(toPath(path), recursive));
  },
  *mkdtemp(prefix) {
    for (let count = 1; ; count += 1) {
      const at = toPath(`${String(prefix)}${String(count).padStart(6, '0')}`);
      if (yield* isThere(at)) continue;
      yield* ask((files) => files.mkdir(at, false));
      return at;
    }
  },
  *rm(path, options) {
    const at = toPath(path);
    const recursive = option(options, 'recursive') === true;
    if (option(options, 'force') === true && !(yield* isThere(at))) return;
    const { kind }: FileEntry = yield* ask((files) => files.stat(at));
    if (kind === 'directory' && !recursive) {
      throw failure('ERR_FS_EISDIR', 'Path is a directory: rm without recursive', at);
    }
    yield* ask((files) => files.remove(at, recursive));
  },
  *rmdir(path, options) {
    const at = toPath(path);
    yield* demandKind(at, 'directory', 'ENOTDIR', 'not a directory');
    yield* ask((files) => files.remove(at, option(options, 'recursive') === true));
  },
  *unlink(path) {
    const at = toPath(path);
    yield* demandKind(at, 'file', 'EISDIR', 'illegal operation on a directory');
    yield* ask((files) => files.remove(at, false));
  },
  *rename(from, to) {
    yield* ask((files) => files.move(toPath(from), toPath(to)));
  },
  *copyFile(from, to, mode) {
    const content = yield* ask((files) => files.read(toPath(from)));
    // COPYFILE_EXCL
    const flag = mode === 1 ? 'wx' : 'w';
    yield* writeFile(to, content, { flag });
  },
  // There is one owner only, so modes have no effect.
  *chmod(path) {
    yield* ask((files) => files.stat(toPath(path)));
  },
  *utimes(path) {
    yield* ask((files) => files.stat(toPath(path)));
  },
};

function* writeFile(path: unknown, data: unknown, options: unknown): Operation {
  const at = toPath(path);
  const flag = option(options, 'flag');
  const content = encode(data, options);
  if (typeof flag === 'string' && flag.includes('x') && (yield* isThere(at))) {
    throw failure('EEXIST', 'file already exists', at);
  }
  return yield* ask((files) =>
    typeof flag === 'string' && flag.startsWith('a')
      ? files.append(at, content)
      : files.write(at, content),
  );
}

function* stat(path: unknown, options: unknown): Operation {
  const at = toPath(path);
  if (option(options, 'throwIfNoEntry') === false && !(yield* isThere(at))) return undefined;
  return new Stats(yield* ask((files) => files.stat(at)));
}

function* isThere(path: string): Generator<Step, boolean, unknown> {
  const entry = yield* ask((files) => lookAt(files, path));
  return entry !== undefined;
}

/** The entry at a path, for asynchronous and synchronous code. `undefined` if there is none. */
export function lookAt(
  files: AnyFiles,
  path: string,
): FileEntry | undefined | Promise<FileEntry | undefined> {
  const unlessMissing = (error: unknown): undefined => {
    if (error instanceof Error && ['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return undefined;
    throw error;
  };
  try {
    const entry = files.stat(path);
    return entry instanceof Promise ? entry.catch(unlessMissing) : entry;
  } catch (error) {
    return unlessMissing(error);
  }
}

function* demandKind(
  path: string,
  kind: FileEntry['kind'],
  code: string,
  words: string,
): Generator<Step, void, unknown> {
  const entry = yield* ask((files) => files.stat(path));
  if (entry.kind !== kind) throw failure(code, words, path);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

function failure(code: string, words: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${words}, '${path}'`), { code, path });
}

/** The result of `stat`: kind, size in bytes, and time of change. */
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

/** A directory entry of `readdir` with `withFileTypes`. */
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
