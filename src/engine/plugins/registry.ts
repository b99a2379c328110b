import type { Catalog } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { Discovery } from '../../formats/discover.js';
import { coversAll } from '../../permissions/effective.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { FoundPlugin } from '../../formats/format.js';
import { formats } from '../../formats/table.js';
import { findPlugins } from './find-plugins.js';
import type { Effects } from '../call/effects.js';
import { followAll } from './follow-all.js';
import type { Grants } from '../grants/grants.js';
import { shutDown } from '../entry/begin-and-end.js';
import { inTurns } from './in-turns.js';
import type { InstallPowers } from './install.js';
import { byId, type Installed, type InstalledEntry } from './installed.js';
import { end, endInactive, retire } from './let-go.js';
import { discoverLocked } from '../lock/discover-locked.js';
import type { Machinery } from '../machinery.js';
import { diskReader } from '../powers/disk-reader.js';
import type { Settings } from '../options/settings.js';
import { statusesOf } from './status-of.js';
import type { PluginStatus } from './status.js';
import { tellPlugins } from './tell-plugins.js';
import { makeTurnover } from './turnover.js';

/** The plugins an engine has, and their coming and going. */
export interface Registry {
  /** Reads what is on disk, there from now on, and installs it. Loads follow one another, each whole. */
  reload(plugins?: readonly string[]): Promise<void>;
  /** Switches a plugin off, or on again. Throws `PLUGIN_NOT_FOUND`. */
  setEnabled(plugin: string, enabled: boolean): Promise<void>;
  /** In the order in which they are registered. */
  installed(): readonly Installed[];
  /** Of all plugins, or of those whose ids are `about`. */
  status(catalog: Catalog, about?: (id: string) => boolean): readonly PluginStatus[];
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
  let { plugins: directories } = settings;
  let discovery: Discovery = { plugins: [], problems: [] };
  /** Replaced, and finishing their calls: what they hold is the plugin's still. */
  const retiring = new Set<Installed>();
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const powers: InstallPowers = {
    ...machinery,
    settings,
    grants,
    events,
    effects,
    now: Date.now,
    onChange: () => onChange(installed),
  };
  const turnover = makeTurnover(({ bundles }) =>
    bundles === undefined ? powers : { ...powers, bundle: bundlesOf(bundles, machinery) },
  );
  /** Ids of plugins that the host has switched off. */
  const off = new Set<string>();

  const renew = (before: Installed | undefined, found: FoundPlugin): Promise<Installed> =>
    turnover.renew(before, off.has(found.plugin.id) ? switchedOff(found) : found);

  const become = (next: readonly Installed[]): readonly Installed[] => {
    const before = installed;
    const kept = new Set(next.map(({ entries }) => entries));
    const successors = byId(next);
    installed = next;
    followAll(next, before, grants);
    onChange(installed);
    for (const one of before) {
      if (!kept.has(one.entries)) void letGo(one, successors.get(one.plugin.id));
    }
    const same = new Set(before);
    return next.filter((one) => !same.has(one));
  };

  const load = async (): Promise<void> => {
    if (closed) return;
    const { lock } = settings;
    const where = { ...settings, plugins: directories };
    discovery =
      lock === undefined
        ? await findPlugins(diskReader, where)
        : await discoverLocked(lock, where, machinery.bundle);
    // A manifest that cannot be read just now costs a plugin nothing that it had.
    const broken = new Set(discovery.problems.map(({ directory }) => directory));
    const ids = new Set(discovery.plugins.map(({ plugin }) => plugin.id));
    const stays = installed.filter(
      ({ plugin }) => !ids.has(plugin.id) && broken.has(plugin.directory),
    );
    const before = byId(installed);
    const next = await inTurns(discovery.plugins, WIDTH, (found) =>
      renew(before.get(found.plugin.id), found),
    );
    const fresh = become([...next, ...stays]);
    tellPlugins(fresh, discovery.problems, events);
  };

  const letGo = async (one: Installed, successor: Installed | undefined): Promise<void> => {
    retiring.add(one);
    // Whoever switched it off, or took it away, does not want it to run on.
    await ((successor?.activation.config ?? null) === null ? endInactive(one) : retire(one));
    retiring.delete(one);
  };

  /** An entry that could not be loaded has no guest to tell, so that its plugin is installed anew. */
  const again = async (plugin: string): Promise<void> => {
    if (closed) return;
    const found = discovery.plugins.find((one) => one.plugin.id === plugin);
    const before = installed.find((one) => one.plugin.id === plugin);
    if (found === undefined || before === undefined) return;
    const after = await renew(before, found);
    become(installed.map((one) => (one === before ? after : one)));
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
      const next = (): Promise<void> => again(id);
      last = last.then(next, next);
      await last;
    },
    setEnabled: async (id, enabled) => {
      if (!installed.some(({ plugin }) => plugin.id === id)) throw notThere(id);
      if (enabled) off.delete(id);
      else off.add(id);
      const next = (): Promise<void> => again(id);
      last = last.then(next, next);
      await last;
    },
    reload: (plugins = directories) => {
      directories = plugins;
      last = last.then(load, load);
      return last;
    },
    installed: () => installed,
    status: (catalog, about) => statusesOf(installed, discovery, catalog, about),
    listing: () => installed.map(listingOf),
    close: async () => {
      closed = true;
      await last.catch(() => {});
      const ending = installed;
      installed = [];
      onChange([]);
      await shutDown(ending, 'shutdown');
      await Promise.all([...ending, ...retiring].map(end));
    },
  };
}

/** Where a plugin's code is had: made from its directory, unless it is what was kept of it. */
function bundlesOf(
  bundles: NonNullable<FoundPlugin['bundles']>,
  machinery: Machinery,
): Machinery['bundle'] {
  return (plugin, entry) => {
    const kept = Object.hasOwn(bundles, entry.key) && bundles[entry.key];
    return kept ? Promise.resolve(kept) : machinery.bundle(plugin, entry);
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

function switchedOff(found: FoundPlugin): FoundPlugin {
  const id = JSON.stringify(found.plugin.id);
  const withheld = `it was switched off by its host; engine.setEnabled(${id}, true) switches it on`;
  return { ...found, withheld };
}

function notThere(id: string): BulkheadError {
  return new BulkheadError('PLUGIN_NOT_FOUND', `The engine has no plugin ${JSON.stringify(id)}.`, {
    directory: id,
  });
}
