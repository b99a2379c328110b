import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PinStore } from '../../remotes/pins.js';
import { replaceFile } from '../../replace-file.js';
import { systemCode } from '../../errors.js';

/** Texts that are cached between runs, by name. A text that cannot be cached is built again. */
export interface TextCache {
  /** The text of that name, or `undefined` if it is missing or unreadable. */
  read(name: string): string | undefined;
  /** Stores a text atomically. Never rejects. */
  store(name: string, text: string): Promise<void>;
  /** Resolves when every text that was given has been written, or could not be. */
  whenStored(): Promise<void>;
}

/**
 * Caches texts as files in a directory that only its owner can read. The directory is created when
 * it is first needed.
 */
export function openTextCache(directory: string): TextCache {
  const writing = new Set<Promise<void>>();
  const write = async (name: string, text: string): Promise<void> => {
    try {
      await replaceFile(join(directory, name), text, { mode: 0o600, directoryMode: 0o700 });
    } catch {
      // A cache that cannot be written only makes the next start slower.
    }
  };
  return {
    // Synchronous, because the files are small and an engine with many plugins reads a thousand at
    // startup.
    read: (name) => {
      try {
        return readFileSync(join(directory, name), 'utf8');
      } catch {
        return undefined;
      }
    },
    store: async (name, text) => {
      const written = write(name, text);
      writing.add(written);
      await written;
      writing.delete(written);
    },
    whenStored: async () => void (await Promise.all(writing)),
  };
}

/**
 * Stores the reviewed tools of servers in the directory `.pins` of the engine's storage. Another deployment
 * with another storage has other pins. They are not in the cache, because they cannot be built again.
 */
export function openPinFiles(storageDirectory: string): PinStore {
  const directory = join(storageDirectory, '.pins');
  // An id may contain characters that a file name may not.
  const fileOf = (id: string): string =>
    join(
      directory,
      `${id.replace(/\W/g, '_')}-${createHash('sha256').update(id).digest('hex').slice(0, 16)}.json`,
    );
  return {
    read: (id) => {
      try {
        return readFileSync(fileOf(id), 'utf8');
      } catch (error) {
        if (systemCode(error) === 'ENOENT') return undefined;
        // Pins that cannot be read accept nothing.
        return '';
      }
    },
    write: (id, text) =>
      replaceFile(fileOf(id), text, { mode: 0o600, directoryMode: 0o700, durable: true }),
  };
}
