import type { Catalog } from '../catalog/catalog.js';
import type { EventBus, EventOf, WithoutTime } from '../events.js';
import type { Discovery } from '../formats/discover.js';
import { coversAll } from '../permissions/effective.js';
import type { Plugin } from '../plugin/plugin.js';
import type { FoundPlugin } from '../formats/format.js';
import { formats } from '../formats/table.js';
import { findPlugins } from './find-plugins.js';
import type { Effects } from './effects.js';
import type { Grants } from './grants.js';
import { beginPlugin, shutDown } from './begin-and-end.js';
import { inTurns } from './in-turns.js';
import { install } from './install.js';
import type { Installed, InstalledEntry } from './installed.js';
import type { Machinery } from './machinery.js';
import { diskReader } from './powers/disk-reader.js';
import type { Settings } from './settings.js';
import { brokenStatus, statusOf } from './status-of.js';
import type { PluginStatus } from './status.js';

/** The plugins an engine has, and their coming and going. */
export interface Registry {
  /** Reads what is on disk, and installs it. Loads follow one another, each whole. */
  reload(): Promise<void>;
  /** In the order in which they are registered. */
  installed(): readonly Installed[];
  status(catalog: Catalog): readonly PluginStatus[];
  /** What each format's own page of plugins shows of those that it has. */
  listing(): readonly Readonly<Record<string, unknown>>[];
  ids(): readonly string[];
  /** The plugins of that id, as they are. */
  find(plugin: string): readonly Installed[];
  /**
   * What the plugin is granted has changed: it follows, running as it is. One that did not run for
   * want of it is installed anew.
   */
  follow(plugin: string): Promise<void>;
  /** Asks a plugin that runs what it offers now. One that does not answer offers what it did. */
  refresh(plugin: string): Promise<void>;
  /** Ends everything that it installed. */
  close(): Promise<void>;
}

export interface RegistrySpec {
  readonly settings: Settings;
  readonly grants: Grants;
  readonly events: EventBus;
  readonly machinery: Machinery;
  readonly effects: Effects;
  readonly onChange: (installed: readonly Installed[]) => void;
}

/** Plugins that are asked at once what they offer. Each may take a processor to itself. */
const WIDTH = 4;

export function makeRegistry(spec: RegistrySpec): Registry {
  const { settings, grants, events, machinery, effects, onChange } = spec;
  let installed: readonly Installed[] = [];
  let discovery: Discovery = { plugins: [], problems: [] };
  /** Replaced, and finishing their calls: what they hold is the plugin's still. */
  const retiring = new Set<Installed>();
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const installOne = async (found: FoundPlugin): Promise<Installed> => {
    const one = await install(found, {
      ...machinery,
      settings,
      grants,
      events,
      effects,
      now: Date.now,
      onChange: () => onChange(installed),
    });
    return settings.hooks.init === 'register' ? beginPlugin(one) : one;
  };

  const load = async (): Promise<void> => {
    if (closed) return;
    discovery = await findPlugins(diskReader, settings);
    const before = installed;
    installed = await inTurns(discovery.plugins, WIDTH, installOne);
    onChange(installed);
    tell(installed, discovery, events);
    for (const one of before) void letGo(one);
  };

  const letGo = async (one: Installed): Promise<void> => {
    retiring.add(one);
    await retire(one);
    retiring.delete(one);
  };

  /** An entry that could not be loaded has no guest to tell, so that its plugin is installed anew. */
  const again = async (plugin: string): Promise<void> => {
    if (closed) return;
    const found = discovery.plugins.find((one) => one.plugin.id === plugin);
    const before = installed.find((one) => one.plugin.id === plugin);
    if (found === undefined || before === undefined) return;
    const after = await installOne(found);
    installed = installed.map((one) => (one === before ? after : one));
    onChange(installed);
    void letGo(before);
  };

  const runningOf = (plugin: string): readonly InstalledEntry[] =>
    installed.flatMap((one) => (one.plugin.id === plugin ? one.entries : []));

  return {
    ids: () => installed.map(({ plugin }) => plugin.id),
    refresh: async (plugin) => {
      await Promise.all(
        runningOf(plugin).flatMap(({ running }) => running?.refresh().catch(() => undefined) ?? []),
      );
    },
    find: (plugin) => installed.filter((one) => one.plugin.id === plugin),
    follow: async (id) => {
      // Every entry follows before anything is waited for.
      const followed = [...installed, ...retiring]
        .filter(({ plugin }) => plugin.id === id)
        .flatMap(({ plugin, entries }) =>
          entries.flatMap(({ entry, running }) => running?.follow(grants.of(plugin, entry)) ?? []),
        );
      await Promise.all(followed);
      const anew = installed.some(
        ({ plugin, entries }) =>
          plugin.id === id && entries.some((entry) => isBehind(entry, plugin, grants)),
      );
      if (!anew) return;
      last = last.then(
        () => again(id),
        () => again(id),
      );
      await last;
    },
    reload: () => {
      last = last.then(load, load);
      return last;
    },
    installed: () => installed,
    status: (catalog) => [
      ...installed.map((one) => statusOf(one, catalog)),
      ...discovery.problems.map(brokenStatus),
    ],
    listing: () => installed.map(listingOf),
    close: async () => {
      closed = true;
      await last.catch(() => {});
      const ending = installed;
      installed = [];
      onChange([]);
      await shutDown(ending, 'shutdown');
      await Promise.all(ending.map(end));
    },
  };
}

/** Whether an entry cannot follow as it runs: it does not, or it now asks for more than it did. */
function isBehind(
  { entry, running, problems }: InstalledEntry,
  plugin: Plugin,
  grants: Grants,
): boolean {
  if (running === undefined) return problems.length > 0;
  return !coversAll(entry.declared, grants.request(plugin, entry).declared);
}

function listingOf({
  plugin,
  activation,
  config,
  entries,
}: Installed): Readonly<Record<string, unknown>> {
  const offers = Object.fromEntries(
    entries.flatMap(({ entry, offer }) => (offer === undefined ? [] : [[entry.key, offer]])),
  );
  return formats[plugin.format].list({ plugin, activation, config, offers });
}

/** Lets a plugin that was replaced finish its calls (each has a deadline), then ends it. */
async function retire(installed: Installed): Promise<void> {
  while (installed.load.underWay > 0) {
    await new Promise((resolve) => setTimeout(resolve, RETIRE_POLL_MS));
  }
  await end(installed);
}

const RETIRE_POLL_MS = 20;

async function end({ entries }: Installed): Promise<void> {
  await Promise.all(entries.flatMap(({ rooms }) => rooms.map((room) => room.close())));
}

function tell(installed: readonly Installed[], discovery: Discovery, events: EventBus): void {
  for (const { directory, error } of discovery.problems) {
    events.emit({ type: 'plugin-refused', directory, code: error.code, message: error.message });
  }
  for (const { plugin, problems, entries } of installed) {
    const { id, directory } = plugin;
    events.emit({ type: 'plugin-found', plugin: id, directory });
    for (const { code, message } of [...problems, ...entries.flatMap((entry) => entry.problems)]) {
      events.emit({ type: 'plugin-refused', plugin: id, directory, code, message });
    }
    for (const entry of entries) {
      if (entry.rooms.length > 0) events.emit(grantOf(plugin, entry));
    }
    for (const { level, message } of entries.flatMap(({ offer }) => offer?.alerts ?? [])) {
      events.emit({ type: 'alert', plugin: id, level, message });
    }
  }
}

/** What an entry that runs was given. */
export function grantOf(
  { id, version }: Plugin,
  { entry, effective, rooms }: InstalledEntry,
): WithoutTime<EventOf<'permissions-granted'>> {
  return {
    type: 'permissions-granted',
    plugin: id,
    entry: entry.key,
    ...(version === undefined ? {} : { version }),
    bundle: rooms[0]?.bundle.hash ?? '',
    confinement: entry.confinement,
    declared: entry.declared,
    granted: effective,
  };
}
