import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory for the storage of one plugin under test. */
export interface Workplace {
  readonly directory: string;
  remove(): Promise<void>;
}

export async function makeWorkplace(): Promise<Workplace> {
  const directory = await mkdtemp(join(tmpdir(), 'bulkhead-testing-'));
  return {
    directory,
    remove: () => rm(directory, { recursive: true, force: true, maxRetries: 5 }),
  };
}
