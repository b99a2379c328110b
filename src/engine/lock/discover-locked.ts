import { BulkheadError } from '../../errors.js';
import type { Discovery } from '../../formats/discover.js';
import type { FoundPlugin } from '../../formats/format.js';
import { type KeptPlugin, modelOf, writeKept } from '../../lock/kept.js';
import type { LockedPlugin } from '../../lock/lock.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import { findPlugins } from '../plugins/find-plugins.js';
import { inTurns } from '../plugins/in-turns.js';
import { diskReader } from '../powers/disk-reader.js';
import type { HeldLock } from './held-lock.js';

export type MakeBundle = (plugin: Plugin, entry: PluginEntry) => Promise<Bundle>;

/** Plugins that are looked at once. Making a bundle takes a processor. */
const WIDTH = 4;

/**
 * The plugins that run under a lock: those that it names, from its own sources and from where the host looks, as
 * they were accepted. What is not in it does not run. What became another since goes on as it was,
 * from what was kept, until somebody has looked at it.
 */
export async function discoverLocked(
  lock: HeldLock,
  options: Parameters<typeof findPlugins>[1],
  makeBundle: MakeBundle,
): Promise<Discovery> {
  const { plugins } = lock.read();
  const sources = Object.values(plugins).map(({ source }) => lock.directoryOf(source));
  const discovery = await findPlugins(diskReader, {
    ...options,
    plugins: [...options.plugins, ...sources],
  });
  const problems = [...discovery.problems];
  const held = await inTurns(discovery.plugins, WIDTH, async (found) => {
    const { id, directory, origin } = found.plugin;
    // What comes with the host, and its own workspace, it has accepted by naming it.
    if (origin !== undefined) return found;
    const locked = Object.hasOwn(plugins, id) ? plugins[id] : undefined;
    if (locked === undefined) {
      problems.push({ directory, error: notLocked(id, directory, lock) });
      return undefined;
    }
    return holdTo(lock, id, locked, found, makeBundle);
  });
  const there = new Set(discovery.plugins.map(({ plugin }) => plugin.id));
  const gone = Object.entries(plugins)
    .filter(([id]) => !there.has(id))
    .map(([id, locked]) => fromKept(lock, id, locked, undefined));
  const usable = [...held, ...gone].filter((one): one is FoundPlugin => one !== undefined);
  for (const [id, locked] of Object.entries(plugins)) {
    if (usable.some(({ plugin }) => plugin.id === id)) continue;
    const directory = lock.directoryOf(locked.source);
    problems.push({ directory, error: notKept(id, lock) });
  }
  return { plugins: usable, problems };
}

async function holdTo(
  lock: HeldLock,
  id: string,
  locked: LockedPlugin,
  found: FoundPlugin,
  makeBundle: MakeBundle,
): Promise<FoundPlugin | undefined> {
  if (locked.disabled === true) return { ...found, withheld: disabledWhy(id, lock) };
  const same = await isAsAccepted(lock, locked, found.plugin, makeBundle);
  return same ? found : fromKept(lock, id, locked, found);
}

/** Whether the code is what was accepted, and the manifest says what it said. */
async function isAsAccepted(
  lock: HeldLock,
  locked: LockedPlugin,
  plugin: Plugin,
  makeBundle: MakeBundle,
): Promise<boolean> {
  try {
    const { text, address } = writeKept(await pluginAsItIs(plugin, makeBundle));
    if (address !== locked.kept) return false;
    // On a machine that has the lock file alone: from now on it is kept here, too.
    keepHere(lock, address, text);
    return true;
  } catch {
    // What cannot be built any more was built once.
    return false;
  }
}

function keepHere(lock: HeldLock, address: string, text: string): void {
  try {
    lock.keep(address, text);
  } catch {
    // Where nothing can be written, what changes later has nothing to go on as.
  }
}

/** What would be kept of a plugin. Throws what making a bundle throws. */
export async function pluginAsItIs(plugin: Plugin, makeBundle: MakeBundle): Promise<KeptPlugin> {
  const bundles: Record<string, Bundle> = {};
  for (const entry of plugin.entries) {
    if (entry.surface === 'tools') bundles[entry.key] = await makeBundle(plugin, entry);
  }
  return { plugin: modelOf(plugin), bundles };
}

function fromKept(
  lock: HeldLock,
  id: string,
  locked: LockedPlugin,
  found: FoundPlugin | undefined,
): FoundPlugin | undefined {
  const kept = lock.kept(locked.kept);
  if (kept === undefined || kept.plugin.id !== id) return undefined;
  const directory = found?.plugin.directory ?? lock.directoryOf(locked.source);
  const is = found === undefined ? 'is gone' : 'is not what was accepted any more';
  const version = locked.version ?? 'as it was';
  return {
    plugin: { ...kept.plugin, directory },
    problems: [],
    bundles: kept.bundles,
    ...(locked.disabled === true ? { withheld: disabledWhy(id, lock) } : {}),
    waiting: `${id} in ${directory} ${is}. What was accepted runs on (${version}); see \`bulkhead diff ${id}\`, and accept it with \`bulkhead update ${id}\`.`,
  };
}

function disabledWhy(id: string, lock: HeldLock): string {
  return `it is disabled in ${lock.path}; bulkhead enable ${id} lets it run`;
}

function notLocked(id: string, directory: string, lock: HeldLock): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${id} in ${directory} is not in ${lock.path}, so that nobody has accepted it. To let it run: bulkhead add ${directory}`,
    { plugin: id },
  );
}

function notKept(id: string, lock: HeldLock): BulkheadError<'NOT_LOCKED'> {
  return new BulkheadError(
    'NOT_LOCKED',
    `${id} is not what ${lock.path} says that was accepted, and what was is not kept on this machine. Restore its sources, or accept what is there now: bulkhead update ${id}`,
    { plugin: id },
  );
}
