import { resolve } from 'node:path';
import { diskReader } from '../engine/node/disk-reader.js';
import type { EngineOptions } from '../engine/types/options.js';
import { readPlugins } from '../formats/discover.js';
import type { CliCapabilities } from './capabilities.js';

/**
 * The directory of what the operator named: with `--lock`, an id of the lock file names the directory of the
 * accepted plugin. A directory of that name wins. Anything else is returned as it is.
 */
export async function placeOfPlugin(
  named: string,
  { lock }: { readonly lock?: string },
  { listDirectory, openLockfile }: Pick<CliCapabilities, 'listDirectory' | 'openLockfile'>,
): Promise<string> {
  if (lock === undefined) return named;
  const isThere = await listDirectory(named).then(
    () => true,
    () => false,
  );
  if (isThere) return named;
  const file = openLockfile(lock, { plugins: [] });
  return Object.hasOwn(file.read().plugins, named) ? file.directoryOf(named) : named;
}

/**
 * The plugins of the lock file that were named by their directories. All if no directory was named. A tool of another
 * plugin may have the same name. A plugin is found by its id, since its directory may have moved or have several
 * paths, and by its directory if that cannot be read.
 */
export async function lockedPlugins(
  places: readonly string[],
  lock: string,
  { openLockfile }: Pick<CliCapabilities, 'openLockfile'>,
): Promise<Pick<EngineOptions, 'lockedPlugins'>> {
  // guard: named-plugins-alone
  if (places.length === 0) return {};
  const file = openLockfile(lock, { plugins: [] });
  const { plugins } = await readPlugins(diskReader, places);
  const found = new Set(plugins.map(({ plugin }) => plugin.id));
  const named = new Set(places.map((place) => resolve(place)));
  const ids = Object.keys(file.read().plugins);
  return { lockedPlugins: ids.filter((id) => found.has(id) || named.has(file.directoryOf(id))) };
}
