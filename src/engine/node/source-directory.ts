import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectories } from '../../make-directories.js';

/** Runs work with a new private directory that has one file, and removes the directory. */
export async function withSourceFile<Result>(
  parent: string,
  { name, text }: { readonly name: string; readonly text: string },
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  await makeDirectories(parent, 0o700);
  const directory = await mkdtemp(join(parent, 'source-'));
  try {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
