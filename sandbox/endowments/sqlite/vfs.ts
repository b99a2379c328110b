import type { EndowmentCapabilities } from '../endowment.js';
import { refuse } from '../files/faults.js';
import { makeMounts } from '../files/mounts.js';
import { toPluginError } from '../errors.js';
import { type SqliteEngine } from './engine.js';
import { makeHostDatabase } from './host-database.js';
import { isStale, MemoryFile, type SqliteFile, StoredFile } from './stored-file.js';

/** SQLite's result codes that a file answers. */
const OK = 0;
const IGNORE = 2;
const BUSY = 5;
const BUSY_SNAPSHOT = 517;
const IO_ERROR = 10;
const SHORT_READ = 522;
const NOT_FOUND = 12;
const FULL = 13;
const CANNOT_OPEN = 14;

const OPEN_CREATE = 0x4;
const OPEN_MAIN = 0x100;
/** What an authorizer is asked for a pragma. */
const PRAGMA = 19;
/** How often a transaction begins again because another one ended first. */
const MAX_BEGINS = 20;
/** The end of a transaction: all changes of the file have been written. */
const CONTROL_SYNC = 21;
const MAX_PATH = 1024;
const SECTOR_BYTES = 4096;
/** A file cannot be deleted while it is open, and a write changes no byte beside it. */
const CHARACTERISTICS = 0x1800;
/** The Julian day of 1970-01-01, in milliseconds. */
const EPOCH_MS = 210_866_760_000_000;

/** SQLite's view of the plugin's storage. */
export interface Vfs {
  /** The host's last refusal, which SQLite knows as a number only. Read once. */
  takeFault(): Error | undefined;
  /** The numbers of functions in SQLite's table, for each connection. */
  readonly authorizer: number;
  readonly busyHandler: number;
}

export type VfsCapabilities = Pick<
  EndowmentCapabilities,
  'host' | 'plugin' | 'grant' | 'denial' | 'random'
>;

/** Registers the only file system of this SQLite. */
export function registerVfs(engine: SqliteEngine, capabilities: VfsCapabilities): Vfs {
  const files = new Map<number, SqliteFile>();
  const place = makeMounts(capabilities.plugin.id, () => capabilities.grant.fs ?? []);
  /** The files of the connections of this guest that write. */
  const reserved = new Set<StoredFile>();
  let fault: Error | undefined;
  /** Whether the last step failed because another guest changed the file. */
  let isOvertaken = false;
  let methods = 0;

  /** Runs work of ours under SQLite: an error must not unwind its frames. */
  const attempt = (otherwise: number, work: () => number): number => {
    try {
      return work();
    } catch (error) {
      isOvertaken = isStale(error);
      fault = toPluginError(error, 'STORAGE_FAILED', 'The database could not be read or written');
      return resultOf(fault, otherwise);
    }
  };
  const fileAt = (pointer: number): SqliteFile => {
    const file = files.get(pointer);
    if (file === undefined) throw new Error('SQLite uses a file that is not open');
    return file;
  };
  const openStored = (path: string, flags: number): StoredFile => {
    const { stored } = place(path);
    // guard: sqlite-files-in-storage
    if (stored === undefined || stored.isTop || !capabilities.grant.storage) {
      throw refuse(capabilities, path, 'storage');
    }
    const host = makeHostDatabase(capabilities.host, stored);
    const key = `${stored.area}:${stored.path}`;
    try {
      return new StoredFile(host, key, host.state());
    } catch (error) {
      const isMissing = error instanceof Error && error.message.startsWith('ENOENT:');
      if (!isMissing || (flags & OPEN_CREATE) === 0) throw error;
      return new StoredFile(host, key, host.create());
    }
  };
  const lock = (pointer: number, level: number): number => {
    const file = fileAt(pointer);
    isOvertaken = false;
    if (!(file instanceof StoredFile)) return OK;
    // Another connection of this guest waits for the same thread.
    const isTaken = [...reserved].some((other) => other !== file && other.key === file.key);
    if (isTaken && level >= 2) return BUSY;
    file.lock(level);
    if (file.isReserved) reserved.add(file);
    return OK;
  };

  const io = engine.add([
    {
      signature: 'i:i',
      run: (file: number) =>
        attempt(IO_ERROR, () => {
          const open = files.get(file);
          files.delete(file);
          if (open instanceof StoredFile) {
            reserved.delete(open);
            open.unlock(0);
          }
          return OK;
        }),
    },
    {
      signature: 'iiij:i',
      run: (file: number, target: number, length: number, offset: bigint) =>
        attempt(IO_ERROR, () => {
          const content = new Uint8Array(length >>> 0);
          const isWhole = fileAt(file).read(Number(offset), content);
          engine.part(target, length).set(content);
          return isWhole ? OK : SHORT_READ;
        }),
    },
    {
      signature: 'iiij:i',
      run: (file: number, source: number, length: number, offset: bigint) =>
        attempt(IO_ERROR, () => {
          fileAt(file).write(Number(offset), engine.bytes(source, length));
          return OK;
        }),
    },
    {
      signature: 'ij:i',
      run: (file: number, size: bigint) =>
        attempt(IO_ERROR, () => {
          fileAt(file).truncate(Number(size));
          return OK;
        }),
    },
    // The commit has synchronised the file.
    { signature: 'ii:i', run: () => OK },
    {
      signature: 'ii:i',
      run: (file: number, target: number) =>
        attempt(IO_ERROR, () => {
          engine.view.setBigInt64(target, BigInt(fileAt(file).size), true);
          return OK;
        }),
    },
    {
      signature: 'ii:i',
      run: (file: number, level: number) => attempt(BUSY, () => lock(file, level)),
    },
    {
      signature: 'ii:i',
      run: (file: number, level: number) =>
        attempt(IO_ERROR, () => {
          const open = fileAt(file);
          if (!(open instanceof StoredFile)) return OK;
          if (level < 2) reserved.delete(open);
          open.unlock(level);
          return OK;
        }),
    },
    {
      signature: 'ii:i',
      run: (_file: number, target: number) => {
        engine.view.setInt32(target, 0, true);
        return OK;
      },
    },
    {
      signature: 'iii:i',
      run: (file: number, operation: number) => {
        if (operation !== CONTROL_SYNC) return NOT_FOUND;
        return attempt(IO_ERROR, () => {
          const open = fileAt(file);
          if (open instanceof StoredFile) open.commit();
          return OK;
        });
      },
    },
    { signature: 'i:i', run: () => SECTOR_BYTES },
    { signature: 'i:i', run: () => CHARACTERISTICS },
  ]);
  methods = writeStruct(engine, [1, ...io]);

  const own = engine.add([
    {
      signature: 'iiiii:i',
      run: (_vfs: number, name: number, file: number, flags: number, flagsOut: number) =>
        attempt(CANNOT_OPEN, () => {
          engine.view.setUint32(file, 0, true);
          const isStored = name !== 0 && (flags & OPEN_MAIN) !== 0;
          files.set(file, isStored ? openStored(engine.string(name), flags) : new MemoryFile());
          engine.view.setUint32(file, methods, true);
          if (flagsOut !== 0) engine.view.setInt32(flagsOut, flags, true);
          return OK;
        }),
    },
    { signature: 'iii:i', run: () => OK },
    {
      // No journal outlives its transaction.
      signature: 'iiii:i',
      run: (_vfs: number, _name: number, _flags: number, target: number) => {
        engine.view.setInt32(target, 0, true);
        return OK;
      },
    },
    {
      signature: 'iiii:i',
      run: (_vfs: number, name: number, length: number, target: number) =>
        attempt(CANNOT_OPEN, () => {
          const path = engine.encode(absolute(engine.string(name)));
          if (path.length + 1 > length) return CANNOT_OPEN;
          engine.part(target, path.length + 1).set([...path, 0]);
          return OK;
        }),
    },
    {
      signature: 'iii:i',
      run: (_vfs: number, length: number, target: number) => {
        const bytes = engine.part(target, length);
        for (let at = 0; at < bytes.length; at += 1) bytes[at] = drawByte(capabilities, at);
        return length;
      },
    },
    // A host request has waited already.
    { signature: 'ii:i', run: (_vfs: number, microseconds: number) => microseconds },
    {
      signature: 'ii:i',
      run: (_vfs: number, target: number) => {
        engine.view.setFloat64(target, (EPOCH_MS + engine.now()) / 86_400_000, true);
        return OK;
      },
    },
    { signature: 'iii:i', run: () => OK },
    {
      signature: 'ii:i',
      run: (_vfs: number, target: number) => {
        engine.view.setBigInt64(target, BigInt(Math.floor(EPOCH_MS + engine.now())), true);
        return OK;
      },
    },
  ]);
  const [open = 0, erase = 0, access = 0, fullPath = 0, ...rest] = own;
  const [randomness = 0, sleep = 0, time = 0, lastError = 0, timeLong = 0] = rest;
  const name = engine.give(engine.encode('storage'));
  const head = [2, 4, MAX_PATH, 0, name, 0];
  const noExtensions = [0, 0, 0, 0];
  const vfs = writeStruct(
    engine,
    head.concat([open, erase, access, fullPath], noExtensions, [
      randomness,
      sleep,
      time,
      lastError,
      timeLong,
    ]),
  );
  engine.call('sqlite3_vfs_register', vfs, 1);
  const [authorizer = 0, busyHandler = 0] = engine.add([
    {
      signature: 'iiiiii:i',
      run: (_data: number, action: number, pragma: number, value: number) => {
        if (action !== PRAGMA || value === 0) return OK;
        // Under it SQLite never unlocks a file: a transaction would end without its turn.
        // guard: sqlite-locking-mode-fixed
        return engine.string(pragma).toLowerCase() === 'locking_mode' ? IGNORE : OK;
      },
    },
    {
      // The host has waited for the turn of the other writer, whose changes are read now.
      signature: 'ii:i',
      run: (_data: number, count: number) => (isOvertaken && count < MAX_BEGINS ? 1 : 0),
    },
  ]);
  return {
    authorizer,
    busyHandler,
    takeFault: () => {
      const taken = fault;
      fault = undefined;
      return taken;
    },
  };
}

function writeStruct(engine: SqliteEngine, words: readonly number[]): number {
  const pointer = engine.allocate(4 * words.length);
  words.forEach((word, index) => engine.view.setUint32(pointer + 4 * index, word, true));
  return pointer;
}

function resultOf(error: Error, otherwise: number): number {
  if (isStale(error)) return BUSY_SNAPSHOT;
  if (error.message.startsWith('EBUSY:')) return BUSY;
  return Reflect.get(error, 'code') === 'STORAGE_LIMIT' ? FULL : otherwise;
}

/** The seed of SQL's random numbers. Fixed without the random permission. */
function drawByte({ grant, random }: VfsCapabilities, at: number): number {
  return grant.random ? Math.floor(random() * 256) : (at * 167 + 13) % 256;
}

/** An absolute path without `.` and `..`. Relative paths begin at the plugin's directory. */
function absolute(path: string): string {
  const segments: string[] = [];
  for (const segment of (path.startsWith('/') ? path : `/plugin/${path}`).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}
