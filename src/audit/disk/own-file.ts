import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a file where there is none, for its owner alone, and the directories that lead to it. */
export async function makeOwnFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a', 0o600);
  await file.close();
}
