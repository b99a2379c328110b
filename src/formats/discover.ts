import { basename, dirname, join } from 'node:path';
import { didYouMean } from '../did-you-mean.js';
import { BulkheadError, isBulkheadError, messageOf } from '../errors.js';
import type { Format, FoundPlugin, DirectoryReader } from './format.js';
import { isInside } from './plugin-files.js';
import { detectFormat, formatNamed, formats } from './table.js';

export interface Discovery {
  /**
   * In the order of the paths, then of the directories' names. Plugins of a format that sorts by
   * install time (Vellum) are sorted among themselves. Ids are unique.
   */
  readonly plugins: readonly FoundPlugin[];
  readonly problems: readonly DiscoveryProblem[];
}

/** A directory whose plugin cannot be used. Other plugins are still found. */
export interface DiscoveryProblem {
  /** As the host named it. */
  readonly directory: string;
  /** Without links. Default: `directory`. */
  readonly realDirectory?: string;
  readonly error: BulkheadError;
}

/**
 * Finds the plugins under the paths. A path is a plugin's directory, or a directory of plugin
 * directories (one level). Its last segments may contain `*`. Directories without a plugin and
 * missing paths are skipped. If two plugins have one id, the first counts: the operator orders the
 * paths.
 */
export async function readPlugins(
  reader: DirectoryReader,
  paths: readonly string[],
): Promise<Discovery> {
  const all: FoundPlugin[] = [];
  const problems: DiscoveryProblem[] = [];
  const seen = new Set<string>();
  const realParents = new Map<string, string | undefined>();
  for (const candidate of await pluginDirectories(reader, paths)) {
    const { directory, format, parent } = candidate;
    const real = (await realpathOf(reader, candidate, realParents)) ?? directory;
    if (seen.has(real)) continue;
    seen.add(real);
    try {
      refuseForeignLink(
        candidate,
        real,
        parent === undefined ? undefined : realParents.get(parent),
      );
      all.push(await format.read(reader, real));
    } catch (error) {
      problems.push({
        directory,
        ...(real === directory ? {} : { realDirectory: real }),
        error: asBulkheadError(error, directory),
      });
    }
  }
  const plugins = new Map<string, FoundPlugin>();
  for (const found of sortByInstallTime(all)) {
    const { id, directory } = found.plugin;
    const first = plugins.get(id);
    if (first === undefined) plugins.set(id, found);
    else problems.push({ directory, error: collision(first, found) });
  }
  return { plugins: [...plugins.values()], problems };
}

/** Whether a directory contains the manifest of a plugin. */
export async function hasManifest(reader: DirectoryReader, directory: string): Promise<boolean> {
  return (await detectFormat(reader, directory)) !== undefined;
}

/** Reads one plugin. Throws `PLUGIN_NOT_FOUND`, `INVALID_MANIFEST` and `OUTSIDE_PLUGIN`. */
export async function readPlugin(reader: DirectoryReader, directory: string): Promise<FoundPlugin> {
  const format = await detectFormat(reader, directory);
  if (format !== undefined) {
    return format.read(reader, (await reader.realpath(directory)) ?? directory);
  }
  const meant = await misspeltManifest(reader, directory);
  throw new BulkheadError(
    'PLUGIN_NOT_FOUND',
    `There is no plugin in ${directory === '.' ? 'this directory' : directory}. ${meant ?? describeManifests()}`,
    { directory },
  );
}

/** A file whose name is nearly that of a manifest: `Spindle.json`. */
async function misspeltManifest(
  reader: DirectoryReader,
  directory: string,
): Promise<string | undefined> {
  const names = (await reader.listDirectory(directory)) ?? [];
  const manifests = formats.map(({ manifestFile }) => manifestFile);
  for (const name of names) {
    if (manifests.includes(name)) continue;
    const meant = didYouMean(name.toLowerCase(), manifests);
    if (meant !== undefined) return `To fix this, rename ${name} to ${meant}.`;
  }
  return undefined;
}

/** The files by which the directory of a plugin is known, as a sentence. */
export function describeManifests(): string {
  const files = formats.map(({ manifestFile, manifestHas }) =>
    manifestHas === undefined ? manifestFile : `${manifestFile} (with ${manifestHas})`,
  );
  return `The directory of a plugin contains one of ${files.join(', ')}.`;
}

interface Candidate {
  readonly directory: string;
  readonly format: Format;
  /** The directory that contains it; absent if the operator named the plugin's own directory. */
  readonly parent?: string;
}

async function pluginDirectories(
  reader: DirectoryReader,
  paths: readonly string[],
): Promise<readonly Candidate[]> {
  const found: Candidate[] = [];
  for (const pattern of paths) {
    for (const path of new Set(await expandPattern(reader, pattern))) {
      const own = await detectFormat(reader, path);
      if (own !== undefined) {
        const parent = pattern.includes('*') ? { parent: dirname(path) } : {};
        found.push({ directory: path, format: own, ...parent });
        continue;
      }
      const names = (await reader.listDirectory(path)) ?? [];
      for (const name of names.filter((one) => !one.startsWith('.')).toSorted()) {
        const directory = join(path, name);
        const format = await detectFormat(reader, directory);
        if (format !== undefined) found.push({ directory, format, parent: path });
      }
    }
  }
  return found;
}

/** Resolves the real path of a parent directory once for all plugins in it. */
async function realpathOf(
  reader: DirectoryReader,
  { directory, parent }: Candidate,
  realParents: Map<string, string | undefined>,
): Promise<string | undefined> {
  if (parent === undefined) return reader.realpath(directory);
  if (!realParents.has(parent)) realParents.set(parent, await reader.realpath(parent));
  const real = realParents.get(parent);
  return real === undefined ? undefined : reader.realpathIn(real, basename(directory));
}

/**
 * Refuses a link to a directory elsewhere, for formats that require it. Without it, write access to
 * the parent directory could turn any directory into a plugin. The operator may name any directory.
 */
function refuseForeignLink(
  { directory, format, parent }: Candidate,
  real: string,
  realParent: string | undefined,
): void {
  if (parent === undefined || format.refusesForeignLinks !== true) return;
  // guard: discovered-link-inside
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
    `The plugin in ${directories[1]} is not used: its id ${JSON.stringify(id)} belongs to the plugin in ${directories[0]}. Change the id in one of their manifests.`,
    { name: id, plugins: directories },
  );
}

function asBulkheadError(error: unknown, directory: string): BulkheadError {
  if (isBulkheadError(error)) return error;
  const why = messageOf(error);
  return new BulkheadError(
    'PLUGIN_NOT_FOUND',
    `The plugin in ${directory} cannot be read: ${why}`,
    { directory },
    { cause: error },
  );
}

/**
 * Sorts the plugins of formats that sort by install time among themselves (Vellum tools,
 * "Resolution order"). Unknown times come last. Ties are sorted by id. Other plugins do not move.
 */
function sortByInstallTime(found: readonly FoundPlugin[]): readonly FoundPlugin[] {
  const isDated = ({ plugin }: FoundPlugin): boolean =>
    formatNamed(plugin.format).sortsByInstallTime === true;
  const dated = found.filter(isDated).toSorted(compareInstallTime);
  return found.map((one) => (isDated(one) ? (dated.shift() ?? one) : one));
}

function compareInstallTime({ plugin: a }: FoundPlugin, { plugin: b }: FoundPlugin): number {
  const [first = Infinity, second = Infinity] = [a.installedAtMs, b.installedAtMs];
  if (first !== second) return first - second;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/**
 * The paths that a pattern matches, sorted by name, whether they exist or not. As in a shell, a `*`
 * in a segment matches any characters except a leading dot.
 */
async function expandPattern(reader: DirectoryReader, pattern: string): Promise<readonly string[]> {
  if (!pattern.includes('*')) return [pattern];
  const parents = await expandPattern(reader, dirname(pattern));
  const segment = basename(pattern);
  const found: string[] = [];
  for (const parent of parents) {
    const names = segment.includes('*') ? await matching(reader, parent, segment) : [segment];
    for (const name of names) found.push(join(parent, name));
  }
  return found;
}

async function matching(
  reader: DirectoryReader,
  directory: string,
  pattern: string,
): Promise<readonly string[]> {
  const names = (await reader.listDirectory(directory)) ?? [];
  return names.filter((name) => fits(name, pattern)).toSorted();
}

function fits(name: string, pattern: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false;
  const [start = '', ...parts] = pattern.split('*');
  const end = parts.pop() ?? '';
  if (!name.startsWith(start) || name.length < start.length + end.length) return false;
  let rest = name.slice(start.length, name.length - end.length);
  for (const part of parts) {
    const at = rest.indexOf(part);
    if (at === -1) return false;
    rest = rest.slice(at + part.length);
  }
  return name.endsWith(end);
}
