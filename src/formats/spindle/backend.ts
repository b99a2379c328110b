import { join } from 'node:path';
import type { ReadPower } from '../format.js';
import { readEntryPath } from '../pandora/entry-path.js';
import type { SpindleManifest } from './manifest.js';

/** Where the sources of a backend lie that was not built, in the order in which they are tried. */
const SOURCES = ['src/backend.ts', 'src/backend.tsx', 'src/backend.mts', 'src/backend.js'];

/**
 * The file to begin with: the built backend where there is one, else its source. An extension may
 * well have neither. Throws `OUTSIDE_PLUGIN` for a path that leads out; where links lead, the
 * bundler finds out.
 */
export async function findBackend(
  power: ReadPower,
  root: string,
  manifest: SpindleManifest,
): Promise<{ readonly file: string | undefined; readonly problems: readonly string[] }> {
  const { entry_backend: written, entry_frontend: frontend } = manifest;
  if (frontend !== undefined) readEntryPath(frontend, 'entry_frontend');
  const built = readEntryPath(written ?? 'dist/backend.js', 'entry_backend');
  for (const file of [built, ...SOURCES]) {
    if ((await power.stat(join(root, file))) === 'file') return { file, problems: [] };
  }
  return {
    file: undefined,
    problems:
      written === undefined
        ? []
        : [`entry_backend: there is no file ${JSON.stringify(built)}, so the backend does not run`],
  };
}
