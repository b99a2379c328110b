import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private directory below the system's directory for temporary files. */
export interface OwnDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

export async function makeOwnDirectory(): Promise<OwnDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'bulkhead-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
