import { basename } from 'node:path';
import type { Catalog } from '../../catalog/catalog.js';
import { BulkheadError } from '../../errors.js';
import type { Discovery, DiscoveryProblem } from '../../formats/discover.js';
import type { FoundPlugin } from '../../formats/format.js';
import { formatNamed } from '../../formats/table.js';
import type { GuestEnd } from '../../guests/end.js';
import { coversAll } from '../../permissions/grant.js';
import { type Artifact, buildKey } from '../../plugin/artifact/artifact.js';
import type { Plugin } from '../../plugin/plugin.js';
import type { CallScheduler } from '../../scheduler/call-scheduler.js';
import type { EngineServices, Instance } from '../instance/instance.js';
import { diskReader } from '../node/disk-reader.js';
import { mapConcurrently } from '../node/pauses.js';
import { isDoneWithin } from '../../waiting.js';
import type { PluginStatus } from '../types/status.js';
import type { ContributionCache } from './contribution-cache.js';
import { type BuildBundle, discoverLocked, findPlugins } from './find-plugins.js';
import type { DenialLog } from './denial-log.js';
import type { Grants } from './grants.js';
import { shutDown } from './init-and-shutdown.js';
import type { InstallCapabilities } from './install.js';
import type { AcceptedPlugins } from '../types/settings.js';
import { byId, type InstalledEntry, type InstalledPlugin, type PluginTable } from './installed.js';
import { emitPluginEvents } from './plugin-events.js';
import { makeReconciler } from './reconcile.js';
import { statusesOf } from './status-of.js';
import { switchedOffWhy } from './switched-off.js';

/** Loads, replaces, disables and closes the plugins of an engine. */
export interface Registry {
  /** Reads the plugins on disk and installs them. Concurrent reloads run one after another. */
  reload(plugins?: readonly string[]): Promise<void>;
  /** Disables or enables a plugin. Throws `PLUGIN_NOT_FOUND`. */
  setEnabled(plugin: string, enabled: boolean): Promise<void>;
  /** The status of all plugins, or of those whose ids match `about`. */
  status(catalog: Catalog, about?: (id: string) => boolean): readonly PluginStatus[];
  /** The entries of each format's own plugin list. */
  listing(): readonly Readonly<Record<string, unknown>>[];
  ids(): readonly string[];
  /** The open instances of all plugins, also of replaced ones that finish their calls. */
  instances(): readonly (readonly [plugin: string, instance: Instance])[];
  /** The plugins with that id. */
  find(plugin: string): readonly InstalledPlugin[];
  /**
   * Applies a changed grant to the running plugin. An entry that did not run for lack of a
   * permission is installed again.
   */
  updateGrants(plugin: string): Promise<void>;
  /**
   * Queries a running plugin for its contributions. If it does not answer, its former contributions
   * stay.
   */
  refresh(plugin: string): Promise<void>;
  /** Accepts what a plugin lists now. `undefined`: there is no such plugin. Rejects as `OfferPins.accept`. */
  accept(plugin: string, digest?: string): Promise<void> | undefined;
  /** Ends all installed plugins. */
  close(): Promise<void>;
}

export interface RegistrySpec {
  readonly plugins: PluginTable;
  readonly services: EngineServices;
  readonly grants: Grants;
  readonly contributions: ContributionCache;
  readonly scheduler: CallScheduler;
  readonly denials: DenialLog;
  readonly build: BuildBundle;
  /** Changes what a plugin on disk requests. Default: it requests what its manifest declares. */
  readonly prepare?: (found: FoundPlugin) => FoundPlugin;
}

/** Plugins that are queried concurrently. Each may use a whole processor. */
const WIDTH = 4;

export function makeRegistry(spec: RegistrySpec): Registry {
  const { plugins: table, services, grants, build } = spec;
  const { settings, events } = services;
  let { plugins: directories } = settings;
  let discovery: Discovery = { plugins: [], problems: [] };
  /** Replaced plugins that finish their calls. Grants still apply to them. */
  const retiring = new Set<InstalledPlugin>();
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const capabilities: InstallCapabilities = { ...spec, onChange: table.changed };
  const reconciler = makeReconciler(({ artifact }) =>
    artifact === undefined ? capabilities : { ...capabilities, build: buildsIn(artifact) },
  );
  /** Ids of plugins that the host has disabled. */
  const off = new Set<string>();

  const renew = (
    before: InstalledPlugin | undefined,
    found: FoundPlugin,
  ): Promise<InstalledPlugin> =>
    reconciler.renew(before, off.has(found.plugin.id) ? switchedOff(found) : found);

  const become = (next: readonly InstalledPlugin[]): readonly InstalledPlugin[] => {
    const before = table.list();
    const remaining = new Set(next.map(({ entries }) => entries));
    const successors = byId(next);
    table.replace(next);
    updateAllGrants(next, before, grants);
    table.changed();
    for (const one of before) {
      if (!remaining.has(one.entries)) void unload(one, successors.get(one.plugin.id));
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
        : await discoverLocked(lock, where, build);
    if (spec.prepare !== undefined) {
      discovery = { ...discovery, plugins: discovery.plugins.map(spec.prepare) };
    }
    // If a manifest cannot be read now, its installed plugin stays.
    const broken = new Set(
      discovery.problems.map(({ directory, realDirectory = directory }) => realDirectory),
    );
    const ids = new Set(discovery.plugins.map(({ plugin }) => plugin.id));
    const stays = table
      .list()
      .filter(({ plugin }) => !ids.has(plugin.id) && broken.has(plugin.directory))
      // A plugin that was removed from the lock file, or revoked, has a problem too.
      // guard: unaccepted-plugin-unloaded
      .filter((one) => lock === undefined || one.plugin.origin !== undefined || isHeld(lock, one));
    const before = byId(table.list());
    const next = await mapConcurrently(discovery.plugins, WIDTH, (found) =>
      renew(before.get(found.plugin.id), found),
    );
    const fresh = become([...next, ...stays]);
    emitPluginEvents(fresh, discovery.problems, events);
  };

  const unload = async (
    one: InstalledPlugin,
    successor: InstalledPlugin | undefined,
  ): Promise<void> => {
    retiring.add(one);
    // A disabled or removed plugin does not finish its calls.
    // guard: disabled-plugin-ended
    await ((successor?.activation.config ?? null) === null ? endInactive(one) : retire(one));
    retiring.delete(one);
  };

  /** Installs a plugin again. An entry that failed to load has no guest that could be updated. */
  const again = async (plugin: string): Promise<void> => {
    if (closed) return;
    const found = discovery.plugins.find((one) => one.plugin.id === plugin);
    const before = table.list().find((one) => one.plugin.id === plugin);
    if (found === undefined || before === undefined) return;
    const after = await renew(before, found);
    become(table.list().map((one) => (one === before ? after : one)));
  };

  const runningOf = (plugin: string): readonly InstalledEntry[] =>
    table.list().flatMap((one) => (one.plugin.id === plugin ? one.entries : []));

  return {
    instances: () =>
      [...table.list(), ...retiring].flatMap(({ plugin, entries }) =>
        entries.flatMap(({ instances }) => instances.map((one) => [plugin.id, one] as const)),
      ),
    ids: () => table.list().map(({ plugin }) => plugin.id),
    refresh: async (plugin) => {
      await Promise.all(
        runningOf(plugin).flatMap(({ live }) => live?.refresh().catch(() => undefined) ?? []),
      );
    },
    find: (plugin) => table.list().filter((one) => one.plugin.id === plugin),
    updateGrants: async (id) => {
      // All entries apply the grant before anything is awaited.
      const updated = [...table.list(), ...retiring]
        .filter(({ plugin }) => plugin.id === id)
        .flatMap(({ plugin, entries }) =>
          entries.flatMap(({ entry, live }) => live?.updateGrant(grants.of(plugin, entry)) ?? []),
        );
      await Promise.all(updated);
      const needsRestart = table
        .list()
        .some(
          ({ plugin, entries }) =>
            plugin.id === id && entries.some((entry) => isBehind(entry, plugin, grants)),
        );
      if (!needsRestart) return;
      const next = (): Promise<void> => again(id);
      last = last.then(next, next);
      await last;
    },
    accept: (id, digest) => {
      const { pins } = services;
      const entries = runningOf(id);
      if (pins === undefined || entries.length === 0) return undefined;
      return pins.accept(id, digest).then(() => {
        for (const { live } of entries) live?.readAgain();
      });
    },
    setEnabled: async (id, enabled) => {
      if (!table.list().some(({ plugin }) => plugin.id === id)) throw notThere(id);
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
    status: (catalog, about) => statusesOf(table.list(), discovery, catalog, about),
    listing: () => [...table.list().map(listingOf), ...discovery.problems.map(brokenListingOf)],
    close: async () => {
      closed = true;
      await last.catch(() => {});
      const ending = table.list();
      table.replace([]);
      table.changed();
      await shutDown(ending, 'shutdown');
      await hearOut(ending);
      // guard: retired-plugins-end-at-close
      await Promise.all([...ending, ...retiring].map(end));
    },
  };
}

/**
 * Waits for what guests reported after their last answers: an error that no code caught is reported at the end of the
 * turn in which a call was answered.
 */
async function hearOut(plugins: readonly InstalledPlugin[]): Promise<void> {
  const guests = plugins.flatMap(({ entries }) =>
    entries.flatMap(({ instances }) =>
      instances.flatMap(({ guests: { current } }) => current ?? []),
    ),
  );
  const answers = guests.map(({ peer }) => peer.ask('ping', null).answer.catch(() => undefined));
  await isDoneWithin(Promise.all(answers), HEAR_OUT_MS);
}

/** A guest that computes or is suspended does not answer. */
const HEAR_OUT_MS = 20;

/** The builds of an accepted artifact. Nothing is built again. */
function buildsIn({ bundles }: Artifact): InstallCapabilities['build'] {
  return (_plugin, entry) => {
    const key = buildKey(entry);
    return Promise.resolve(Object.hasOwn(bundles, key) ? bundles[key] : undefined);
  };
}

/** Whether the lock file and the trust rules still accept all that runs of a plugin. */
function isHeld(lock: AcceptedPlugins, { plugin, entries }: InstalledPlugin): boolean {
  return entries
    .flatMap(({ instances }) => instances)
    .every(({ bundle }) => lock.stillAccepts(plugin.id, bundle));
}

/**
 * Whether an entry must be installed again: it does not run, or it now requests more permissions.
 */
function isBehind(
  { entry, live, problems }: InstalledEntry,
  plugin: Plugin,
  grants: Grants,
): boolean {
  if (live === undefined) return problems.length > 0;
  return !coversAll(entry.declared, grants.request(plugin, entry).declared);
}

function listingOf({
  plugin,
  activation,
  config,
  entries,
  problems,
  stale = [],
}: InstalledPlugin): Readonly<Record<string, unknown>> {
  const contributions = Object.fromEntries(
    entries.flatMap(({ entry, contributions: own }) =>
      own === undefined ? [] : [[entry.key, own]],
    ),
  );
  const listed = formatNamed(plugin.format).list({ plugin, activation, config, contributions });
  const failed = [...problems, ...stale, ...entries.flatMap((entry) => entry.problems)];
  return failed.length === 0
    ? listed
    : { ...listed, problems: failed.map(({ code, message }) => ({ code, message })) };
}

/** A directory that looks like a plugin but cannot be read as one. */
function brokenListingOf({
  directory,
  error: { code, message },
}: DiscoveryProblem): Readonly<Record<string, unknown>> {
  return { id: basename(directory), problems: [{ code, message }] };
}

function switchedOff(found: FoundPlugin): FoundPlugin {
  return { ...found, withheld: switchedOffWhy(found.plugin.id) };
}

function notThere(id: string): BulkheadError {
  return new BulkheadError('PLUGIN_NOT_FOUND', `The engine has no plugin ${JSON.stringify(id)}.`, {
    directory: id,
  });
}

/** Waits until a replaced plugin's calls have settled (each has a deadline), then ends it. */
export async function retire(installed: InstalledPlugin): Promise<void> {
  await installed.queue.whenIdle();
  await end(installed);
}

/** Ends all guests of a plugin at once. */
export function end(installed: InstalledPlugin): Promise<void> {
  return endFor(installed, { cause: 'closed', detail: 'the engine unloaded the plugin' });
}

/** Ends all guests of a plugin that was disabled or removed. */
export function endInactive(installed: InstalledPlugin): Promise<void> {
  const detail = 'it was disabled or removed';
  return endFor(installed, { cause: 'closed', detail, inactive: true });
}

async function endFor({ entries }: InstalledPlugin, why: GuestEnd): Promise<void> {
  await Promise.all(
    entries.flatMap(({ instances }) => instances.map((instance) => instance.close(why))),
  );
}

/**
 * Applies grant changes that happened while plugins were being read. Plugins that were installed
 * before have already applied them.
 */
export function updateAllGrants(
  installed: readonly InstalledPlugin[],
  before: readonly InstalledPlugin[],
  grants: Grants,
): void {
  const updated = new Set(before.map(({ entries }) => entries));
  for (const { plugin, entries } of installed) {
    if (updated.has(entries)) continue;
    for (const { entry, effective, live } of entries) {
      const grant = grants.of(plugin, entry);
      const { permissions } = grant;
      const same =
        permissions === effective || JSON.stringify(permissions) === JSON.stringify(effective);
      if (!same) void live?.updateGrant(grant);
    }
  }
}
