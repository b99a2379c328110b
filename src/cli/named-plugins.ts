import { resolve } from 'node:path';
import { didYouMean } from '../did-you-mean.js';
import { diskReader } from '../engine/node/disk-reader.js';
import type { EngineOptions } from '../engine/types/options.js';
import { BulkheadError } from '../errors.js';
import { readPlugins } from '../formats/discover.js';
import type { CliCapabilities } from './capabilities.js';

/**
 * The directory of what the operator named: with `--lock`, an id of the lock file names the directory of the
 * accepted plugin. A directory of that name wins. Throws `PLUGIN_NOT_FOUND` for a name that is neither.
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
  // A pattern names several directories.
  if (isThere || named.includes('*')) return named;
  const file = openLockfile(lock, { plugins: [] });
  const ids = Object.keys(file.read().plugins);
  if (ids.includes(named)) return file.directoryOf(named);
  // Accepted code runs also if its directory is gone.
  if (ids.some((id) => file.directoryOf(id) === resolve(named))) return named;
  const meant = didYouMean(named, ids);
  throw new BulkheadError(
    'PLUGIN_NOT_FOUND',
    `${named} is neither a directory nor the id of a plugin that ${lock} accepts. ${
      meant === undefined ? idsOf(ids) : `Did you mean ${meant}?`
    }`,
    { directory: named },
  );
}

/** Ids that an error lists. */
const MAX_LISTED = 20;

function idsOf(ids: readonly string[]): string {
  if (ids.length === 0) return 'It accepts none.';
  const rest = ids.length - MAX_LISTED;
  return `It accepts: ${ids.slice(0, MAX_LISTED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`;
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
