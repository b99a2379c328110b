import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeDirectories } from '../make-directories.js';
import { systemCode } from '../errors.js';

/** Where a cassette is stored. */
export interface CassetteFile {
  /** The content; `undefined` if there is no file. */
  read(): Promise<string | undefined>;
  write(text: string): Promise<void>;
}

export function openCassetteFile(path: string): CassetteFile {
  return {
    read: () =>
      readFile(path, 'utf8').catch((error: unknown) => {
        if (systemCode(error) === 'ENOENT') return undefined;
        throw error;
      }),
    write: async (text) => {
      await makeDirectories(dirname(path));
      await writeFile(path, text);
    },
  };
}

/** Whether `bulkhead test --record` runs the tests. */
export function isRecording(): boolean {
  return process.env['BULKHEAD_CASSETTES'] === 'record';
}
