import { readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Texts kept between runs, by name. What cannot be kept is only made again. */
export interface KeptTexts {
  /** The text of that name, or `undefined` where there is none that can be read. */
  read(name: string): string | undefined;
  /** Keeps a text, whole or not at all. Never rejects. */
  keep(name: string, text: string): Promise<void>;
}

/** Keeps texts as files of a directory that only its owner can read, made when it is first needed. */
export function keepTexts(directory: string): KeptTexts {
  return {
    // A small file, read at once: a thousand of them are read when an engine starts.
    read: (name) => {
      try {
        return readFileSync(join(directory, name), 'utf8');
      } catch {
        return undefined;
      }
    },
    keep: async (name, text) => {
      const draft = join(directory, `${name}.${process.pid}`);
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await writeFile(draft, text, { mode: 0o600 });
        await rename(draft, join(directory, name));
      } catch {
        // A cache that cannot be written makes the next start slower, and nothing else.
      }
    },
  };
}
