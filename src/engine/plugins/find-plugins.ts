import { canonicalJson } from '../../canonical.js';
import { BulkheadError, isBulkheadError } from '../../errors.js';
import { type Discovery, type DiscoveryProblem, readPlugins } from '../../formats/discover.js';
import type { FoundPlugin, DirectoryReader } from '../../formats/format.js';
import { hostFormat } from '../../formats/table.js';
import type { LockedPlugin } from '../../lock/lock.js';
import {
  type Artifact,
  buildKey,
  makeArtifact,
  parseArtifact,
} from '../../plugin/artifact/artifact.js';
import { modelOf, type PluginModel, writeModel } from '../../plugin/artifact/model.js';
import { type Bundle, type Plugin, type PluginEntry, WORKSPACE } from '../../plugin/plugin.js';
import { diskReader } from '../node/disk-reader.js';
import { hashFileTree } from '../node/file-tree.js';
import { mapConcurrently } from '../node/pauses.js';
import type { EngineOptions } from '../types/options.js';
import type { AcceptedPlugins } from '../types/settings.js';
import { CORE } from './core-tools.js';
import { shellWord } from '../../visible.js';

/** Ids that plugins cannot have. */
const RESERVED: ReadonlySet<string> = new Set([CORE, WORKSPACE]);

/**
 * Finds all plugins of an engine, in the order of registration: the host's default plugins, the
 * installed plugins, and the tools of the workspace. The workspace wins every name. If two plugins
 * have the same id, the first counts.
 */
export async function findPlugins(
  power: DirectoryReader,
  options: Pick<EngineOptions, 'plugins' | 'defaultPlugins' | 'workspace'>,
): Promise<Discovery> {
  const defaults = await readPlugins(power, options.defaultPlugins ?? []);
  const installed = await readPlugins(power, options.plugins);
  const workspace =
    options.workspace === undefined
      ? undefined
      : await hostFormat.readWorkspace?.(power, options.workspace);
  const plugins = new Map<string, FoundPlugin>();
  const problems: DiscoveryProblem[] = [...defaults.problems, ...installed.problems];
  for (const found of [...defaults.plugins.map(asDefault), ...installed.plugins]) {
    const { id, directory } = found.plugin;
    const first = plugins.get(id);
    if (first === undefined && !RESERVED.has(id)) plugins.set(id, found);
    else if (first?.plugin.directory !== directory) {
      problems.push({ directory, error: taken(found, first) });
    }
  }
  return {
    plugins: [...plugins.values(), ...(workspace === undefined ? [] : [workspace])],
    problems,
  };
}

function asDefault({ plugin, problems }: FoundPlugin): FoundPlugin {
  return { plugin: { ...plugin, origin: 'default' }, problems };
}

function taken({ plugin }: FoundPlugin, first: FoundPlugin | undefined): BulkheadError {
  const owner = first === undefined ? 'the host' : `the plugin in ${first.plugin.directory}`;
  return new BulkheadError(
    'NAME_COLLISION',
    `${plugin.directory} is not used: its id ${JSON.stringify(plugin.id)} belongs to ${owner}. Change the id in its manifest.`,
    { name: plugin.id, plugins: [plugin.directory] },
  );
}

export type BuildBundle = (plugin: Plugin, entry: PluginEntry) => Promise<Bundle>;

/** Plugins that are checked concurrently. Building a bundle uses a whole processor. */
const WIDTH = 4;

/**
 * The plugins that run under a lock file: those that it names, found in its sources and in the
 * host's directories. Other plugins do not run. If a plugin has changed, its stored version runs
 * until the operator accepts the change.
 */
export async function discoverLocked(
  lock: AcceptedPlugins,
  options: Parameters<typeof findPlugins>[1] & Pick<EngineOptions, 'lockedPlugins'>,
  makeBundle: BuildBundle,
): Promise<Discovery> {
  const { lockedPlugins: chosen } = options;
  // guard: locked-plugins-chosen
  const plugins = Object.fromEntries(
    Object.entries(lock.read().plugins).filter(([id]) => chosen?.includes(id) ?? true),
  );
  const sources = Object.values(plugins).map(({ source }) => lock.directoryOf(source));
  const discovery = await findPlugins(diskReader, {
    ...options,
    plugins: [...options.plugins, ...sources],
  });
  const problems = [...discovery.problems];
  const hold = async (
    id: string,
    directory: string,
    found: FoundPlugin | undefined,
  ): Promise<FoundPlugin | undefined> => {
    const locked = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
    try {
      if (locked === undefined) throw notLocked(id, directory, lock);
      const held = await holdTo(lock, id, locked, found, makeBundle);
      if (held === undefined) throw notStored(id, lock);
      return held;
    } catch (error) {
      if (!isBulkheadError(error)) throw error;
      problems.push({ directory, error });
      return undefined;
    }
  };
  const held = await mapConcurrently(discovery.plugins, WIDTH, async (found) => {
    const { id, directory, origin } = found.plugin;
    // The host accepts its default plugins and its workspace by naming them.
    return origin === undefined ? hold(id, directory, found) : found;
  });
  const there = new Set(discovery.plugins.map(({ plugin }) => plugin.id));
  const missing = await Promise.all(
    Object.entries(plugins)
      .filter(([id]) => !there.has(id))
      .map(([id, { source }]) => hold(id, lock.directoryOf(source), undefined)),
  );
  const usable = [...held, ...missing].filter((one): one is FoundPlugin => one !== undefined);
  return { plugins: usable, problems };
}

async function holdTo(
  lock: AcceptedPlugins,
  id: string,
  locked: LockedPlugin,
  found: FoundPlugin | undefined,
  makeBundle: BuildBundle,
): Promise<FoundPlugin | undefined> {
  const directory = found?.plugin.directory ?? lock.directoryOf(locked.source);
  const current = await readCurrent(lock, locked, found?.plugin, makeBundle);
  const accepted = lock.open(id, locked) ?? fillStore(lock, id, locked, current);
  if (accepted === undefined) {
    return found !== undefined && locked.disabled === true
      ? { ...found, withheld: disabledWhy(id, lock) }
      : undefined;
  }
  const { installedAtMs, disabled } = found?.plugin ?? {};
  const isSame = current !== undefined && isSameSource(accepted, current);
  const ownFiles = found === undefined ? undefined : await compareFiles(directory, locked);
  const is = found === undefined ? 'is missing' : 'differs from what was accepted';
  const version = locked.version === undefined ? '' : ` (${locked.version})`;
  return {
    plugin: {
      ...accepted.plugin,
      directory,
      ...(installedAtMs === undefined ? {} : { installedAtMs }),
      ...(disabled === undefined ? {} : { disabled }),
      ...(ownFiles === undefined ? {} : { ownFiles }),
    },
    problems: [
      ...(isSame ? (found?.problems ?? []) : []),
      ...(ownFiles === 'changed' ? [filesChanged(id, directory)] : []),
    ],
    artifact: accepted,
    ...(locked.disabled === true ? { withheld: disabledWhy(id, lock) } : {}),
    ...(isSame || locked.disabled === true
      ? {}
      : {
          pending: `${id} in ${directory} ${is}. The accepted version${version} runs. See \`bulkhead diff ${shellWord(id)}\`, and accept the change with \`bulkhead update ${shellWord(id)}\`.`,
        }),
  };
}

async function compareFiles(
  directory: string,
  { files }: LockedPlugin,
): Promise<Plugin['ownFiles']> {
  if (files === undefined) return undefined;
  const now = await hashFileTree(directory).catch(() => undefined);
  return now === files ? 'accepted' : 'changed';
}

function filesChanged(id: string, directory: string): string {
  return `${id} cannot read the files in ${directory}: they are not those that were accepted. Restore them, or accept them with \`bulkhead update ${shellWord(id)}\`.`;
}

/** The plugin in a directory now: its pack, or its manifest and builds. */
export interface CurrentPlugin {
  readonly plugin: PluginModel;
  readonly bundles: Readonly<Record<string, Bundle>>;
  /** The pack of the directory. Absent: the plugin is built from its sources. */
  readonly pack?: { readonly artifact: Artifact; readonly envelope?: string };
}

/** The pack in a directory; `undefined` if there is none. Throws `INVALID_ARTIFACT`. */
export function readPack(
  files: Pick<AcceptedPlugins, 'readPack'>,
  directory: string,
): CurrentPlugin | undefined {
  const pack = files.readPack(directory);
  if (pack === undefined) return undefined;
  const { bytes, envelope } = pack;
  const artifact = parseArtifact(bytes, `in ${directory}`);
  return {
    plugin: artifact.plugin,
    bundles: artifact.bundles,
    pack: { artifact, ...(envelope === undefined ? {} : { envelope }) },
  };
}

/**
 * Builds a plugin from its sources: each entry as it is written, and in addition the build for Node (`:host`)
 * of the entries that `keys` names. Throws the errors of building.
 */
export async function buildCurrent(
  plugin: Plugin,
  keys: readonly string[],
  makeBundle: BuildBundle,
): Promise<CurrentPlugin> {
  const bundles: Record<string, Bundle> = {};
  for (const entry of plugin.entries) {
    if (entry.surface === 'channels') continue;
    bundles[buildKey(entry)] = await makeBundle(plugin, entry);
    const host: PluginEntry = { ...entry, confinement: 'host' };
    const key = buildKey(host);
    if (entry.confinement === 'compartment' && keys.includes(key)) {
      bundles[key] = await makeBundle(plugin, host);
    }
  }
  return { plugin: modelOf(plugin), bundles };
}

async function readCurrent(
  lock: AcceptedPlugins,
  locked: LockedPlugin,
  plugin: Plugin | undefined,
  makeBundle: BuildBundle,
): Promise<CurrentPlugin | undefined> {
  if (locked.disabled === true) return undefined;
  const directory = plugin?.directory ?? lock.directoryOf(locked.source);
  try {
    const pack = readPack(lock, directory);
    if (pack !== undefined) return pack;
    if (plugin === undefined) return undefined;
    return await buildCurrent(plugin, Object.keys(locked.bundles), makeBundle);
  } catch {
    // The plugin cannot be built any more, or its pack is damaged.
    return undefined;
  }
}

/**
 * Whether a directory still has the accepted sources: the same manifest, and the same files or code in each
 * build. Another version of the bundler may write other code for the same files.
 */
export function isSameSource(
  accepted: Pick<Artifact, 'hash' | 'plugin' | 'bundles'>,
  { plugin, bundles, pack }: CurrentPlugin,
): boolean {
  if (pack !== undefined) return pack.artifact.hash === accepted.hash;
  const keys = Object.keys(bundles);
  return (
    // guard: locked-manifest-compared
    writeModel(plugin) === writeModel(accepted.plugin) &&
    keys.length === Object.keys(accepted.bundles).length &&
    keys.every((key) => {
      const now = bundles[key];
      const before = accepted.bundles[key];
      if (now === undefined || before === undefined) return false;
      // guard: locked-source-compared
      return now.hash === before.hash || sourcesOf(now) === sourcesOf(before);
    })
  );
}

function sourcesOf({ inputs, broken }: Bundle): string {
  return canonicalJson([inputs, broken]);
}

/**
 * A machine may have only the lock file, without the store. If the directory has the accepted artifact, it
 * is stored here. What runs is then read from the store.
 */
function fillStore(
  lock: AcceptedPlugins,
  id: string,
  locked: LockedPlugin,
  current: CurrentPlugin | undefined,
): Artifact | undefined {
  if (current === undefined) return undefined;
  const { plugin, bundles, pack } = current;
  const artifact = pack?.artifact ?? makeArtifact({ ...plugin, directory: '' }, bundles);
  if (artifact.hash !== locked.artifact) return undefined;
  const { bytes } = artifact;
  const envelope = pack?.envelope;
  lock.store(artifact.hash, { bytes, ...(envelope === undefined ? {} : { envelope }) });
  return lock.open(id, locked);
}

function disabledWhy(id: string, lock: AcceptedPlugins): string {
  return `it is disabled in ${lock.path}; bulkhead enable ${shellWord(id)} lets it run`;
}

function notLocked(
  id: string,
  directory: string,
  lock: AcceptedPlugins,
): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${id} in ${directory} was not accepted: it is not in ${lock.path}. To accept it, run: bulkhead add ${shellWord(directory)}`,
    { plugin: id },
  );
}

function notStored(id: string, lock: AcceptedPlugins): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${id} does not run: its directory differs from the version in ${lock.path}, and the accepted artifact is not stored on this machine. Restore its sources or its pack, or accept the current version: bulkhead update ${shellWord(id)}`,
    { plugin: id },
  );
}
