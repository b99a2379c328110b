import { basename, dirname, join } from 'node:path';
import { BulkheadError, isBulkheadError } from '../errors.js';
import type { Format, FoundPlugin, ReadPower } from './format.js';
import { inInstallOrder } from './install-order.js';
import { isInside } from './own-file.js';
import { detectFormat } from './table.js';
import { expandPaths } from './paths.js';

export interface Discovery {
  /**
   * In the order of the paths, then of their directories' names; Vellum's among themselves in the
   * order in which they were installed. Ids are unique.
   */
  readonly plugins: readonly FoundPlugin[];
  readonly problems: readonly DiscoveryProblem[];
}

/** A directory that holds a plugin which cannot be used. It keeps no other from being found. */
export interface DiscoveryProblem {
  readonly directory: string;
  readonly error: BulkheadError;
}

/**
 * Finds the plugins under the paths. A path is a plugin's directory, or a directory of such
 * directories, one level deep; its last segments may hold `*`. What is no plugin is passed over in
 * silence, and so is a path that does not exist. Of two plugins with one id the first counts: an id
 * is a claim, and whoever sorts first is at least where the operator put it first. Vellum's plugins
 * are sorted by when they were installed.
 */
export async function readPlugins(power: ReadPower, paths: readonly string[]): Promise<Discovery> {
  const all: FoundPlugin[] = [];
  const problems: DiscoveryProblem[] = [];
  const seen = new Set<string>();
  const realParents = new Map<string, string | undefined>();
  for (const candidate of await pluginDirectories(power, paths)) {
    const { directory, format, parent } = candidate;
    const real = (await realpathOf(power, candidate, realParents)) ?? directory;
    if (seen.has(real)) continue;
    seen.add(real);
    try {
      refuseForeign(candidate, real, parent === undefined ? undefined : realParents.get(parent));
      all.push(await format.read(power, real));
    } catch (error) {
      problems.push({ directory, error: asBulkheadError(error, directory) });
    }
  }
  const plugins = new Map<string, FoundPlugin>();
  for (const found of inInstallOrder(all)) {
    const { id, directory } = found.plugin;
    const first = plugins.get(id);
    if (first === undefined) plugins.set(id, found);
    else problems.push({ directory, error: collision(first, found) });
  }
  return { plugins: [...plugins.values()], problems };
}

/** Reads one plugin. Throws `PLUGIN_NOT_FOUND`, `INVALID_MANIFEST` and `OUTSIDE_PLUGIN`. */
export async function readPlugin(power: ReadPower, directory: string): Promise<FoundPlugin> {
  const format = await detectFormat(power, directory);
  if (format !== undefined) {
    return format.read(power, (await power.realpath(directory)) ?? directory);
  }
  throw new BulkheadError(
    'PLUGIN_NOT_FOUND',
    `There is no plugin in ${directory}. A plugin's directory holds its manifest, e.g. pandora.manifest.json.`,
    { directory },
  );
}

interface Candidate {
  readonly directory: string;
  readonly format: Format;
  /** The directory that it was found in; absent where it was named itself. */
  readonly parent?: string;
}

async function pluginDirectories(
  power: ReadPower,
  paths: readonly string[],
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const pattern of paths) {
    for (const path of await expandPaths(power, [pattern])) {
      const own = await detectFormat(power, path);
      if (own !== undefined) {
        const parent = pattern.includes('*') ? { parent: dirname(path) } : {};
        found.push({ directory: path, format: own, ...parent });
        continue;
      }
      const names = (await power.listDirectory(path)) ?? [];
      for (const name of names.filter((one) => !one.startsWith('.')).toSorted()) {
        const directory = join(path, name);
        const format = await detectFormat(power, directory);
        if (format !== undefined) found.push({ directory, format, parent: path });
      }
    }
  }
  return found;
}

/** Asks only once where a directory of many plugins lies. */
async function realpathOf(
  power: ReadPower,
  { directory, parent }: Candidate,
  realParents: Map<string, string | undefined>,
): Promise<string | undefined> {
  if (parent === undefined) return power.realpath(directory);
  if (!realParents.has(parent)) realParents.set(parent, await power.realpath(parent));
  const real = realParents.get(parent);
  return real === undefined ? undefined : power.realpathIn(real, basename(directory));
}

/**
 * A link among Vellum's plugins that leads elsewhere is none of them: whoever can put a link there
 * cannot, for that, make a plugin of any directory. What the operator names may be anywhere.
 */
function refuseForeign(
  { directory, format, parent }: Candidate,
  real: string,
  realParent: string | undefined,
): void {
  if (parent === undefined || format.name !== 'vellum') return;
  if (realParent === undefined || isInside(realParent, real)) return;
  throw new BulkheadError(
    'OUTSIDE_PLUGIN',
    `${directory} is a link that leads out of ${parent}. Put the plugin itself there, or name its own directory.`,
    { path: directory },
  );
}

function collision(first: FoundPlugin, later: FoundPlugin): BulkheadError {
  const { id } = later.plugin;
  const directories = [first.plugin.directory, later.plugin.directory];
  return new BulkheadError(
    'NAME_COLLISION',
    `${directories[1]} is not used: its id ${JSON.stringify(id)} belongs to the plugin in ${directories[0]}. Change the id in one of their manifests.`,
    { name: id, plugins: directories },
  );
}

function asBulkheadError(error: unknown, directory: string): BulkheadError {
  if (isBulkheadError(error)) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new BulkheadError(
    'PLUGIN_NOT_FOUND',
    `The plugin in ${directory} cannot be read: ${why}`,
    { directory },
    { cause: error },
  );
}
