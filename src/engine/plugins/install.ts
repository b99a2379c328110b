import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { BulkheadError } from '../../errors.js';
import type { FoundPlugin } from '../../formats/format.js';
import { formatNamed } from '../../formats/table.js';
import { makeGrant } from '../../permissions/grant.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { CallScheduler } from '../../scheduler/call-scheduler.js';
import type { Groups } from '../instance/guest-source.js';
import type { EngineServices, Instance, InstanceSpec } from '../instance/instance.js';
import { notPinned, openInstance } from '../instance/open-instance.js';
import { requireSeparate } from '../instance/package-grants.js';
import { makeQuarantine, type Quarantine } from '../instance/quarantine.js';
import { secretsOf } from '../instance/secrets.js';
import { isolationOf } from '../types/guest-options.js';
import type { PluginConfig } from '../types/options.js';
import type { Settings } from '../types/settings.js';
import type { PluginProblem } from '../types/status.js';
import type { ContributionCache } from './contribution-cache.js';
import type { DenialLog } from './denial-log.js';
import type { Grants } from './grants.js';
import { asProblem, idle, type InstalledEntry, type InstalledPlugin } from './installed.js';
import { makeLiveEntry } from './live-entry.js';
import { seedStorage } from './seed-storage.js';
import { shellWord } from '../../visible.js';

export interface InstallCapabilities {
  readonly services: EngineServices;
  readonly grants: Grants;
  readonly contributions: ContributionCache;
  readonly scheduler: CallScheduler;
  readonly denials: DenialLog;
  /** Builds an entry, or finds it in the accepted artifact; `undefined` if the artifact has no such build. */
  readonly build: (plugin: Plugin, entry: PluginEntry) => Promise<Bundle | undefined>;
  /** An entry has other contributions, or another grant. */
  readonly onChange: () => void;
}

/**
 * Installs one plugin from disk and returns its callable tools. Never rejects: each error becomes a
 * problem of the entry or of the plugin.
 */
export async function install(
  found: FoundPlugin,
  capabilities: InstallCapabilities,
): Promise<InstalledPlugin> {
  const { plugin } = found;
  const { settings, events, guests } = capabilities.services;
  const { limits, background } = settings;
  const decision = decide(found, settings);
  const active = decision.activation.config;
  const { maxCrashes, crashWindowMs, quarantineMs } = limits;
  const quarantine = makeQuarantine({
    maxCrashes,
    crashWindowMs,
    quarantineMs,
    plugin: plugin.id,
    events,
    now: () => performance.now(),
  });
  const entries = await Promise.all(
    plugin.entries
      .filter((entry) => entry.surface !== 'channels')
      .map((entry) =>
        active === null
          ? Promise.resolve(idle(entry))
          : installEntry({ plugin, quarantine }, entry, active, capabilities),
      ),
  );
  return {
    plugin,
    ...decision,
    entries,
    queue: capabilities.scheduler.open(plugin.id),
    quarantine,
    background: background.includes(plugin.id),
    ...trustGroupOf(guests.groups, plugin),
    ...isolatedAs(plugin, settings),
  };
}

/** What is known about a plugin before its code is loaded. */
export function decide(
  { plugin, problems, withheld, pending }: FoundPlugin,
  settings: Settings,
): Pick<InstalledPlugin, 'activation' | 'config' | 'problems'> {
  const { config, env } = settings;
  const raw = configOf(config, plugin);
  const decided = formatNamed(plugin.format).decideActivation(plugin, raw, (name) => env[name]);
  const reason = withheld ?? whyNotIsolated(plugin, settings);
  return {
    activation: reason === undefined ? decided : { ...decided, config: null, reasons: [reason] },
    config: raw,
    problems: [
      ...problems.map((message): PluginProblem => ({ code: 'INVALID_MANIFEST', message })),
      ...(pending === undefined ? [] : [{ code: 'UPDATE_PENDING' as const, message: pending }]),
    ],
  };
}

/** Why the plugin cannot run under the operator's `isolation`. */
function whyNotIsolated(
  { id, format, entries }: Plugin,
  settings: Pick<Settings, 'isolation' | 'hostMode'>,
): string | undefined {
  const isolation = isolationOf(settings, id);
  if (isolation === 'plugin') return undefined;
  const cannot = `its isolation ${JSON.stringify(isolation)} is not possible`;
  // guard: isolation-of-registering-plugin
  if (formatNamed(format).registersAtRunTime === true) {
    return `${cannot}: what it registers at run time belongs to one guest. Remove it from isolation`;
  }
  // A lock file may have accepted it as unconfined.
  // guard: isolation-of-unconfined-plugin
  if (settings.hostMode.includes(id) || entries.some((one) => one.confinement === 'host')) {
    return `${cannot}: it runs unconfined. Remove it from isolation, or from hostMode`;
  }
  return undefined;
}

function trustGroupOf(groups: Groups, { id }: Plugin): Pick<InstalledPlugin, 'trustGroup'> {
  const group = groups.of(id);
  return group === undefined ? {} : { trustGroup: group.name };
}

function isolatedAs({ id }: Plugin, settings: Settings): Pick<InstalledPlugin, 'isolation'> {
  const isolation = isolationOf(settings, id);
  return isolation === 'plugin' ? {} : { isolation };
}

/** The plugin's configuration. Default: an empty one, which enables the plugin. */
function configOf(config: Settings['config'], plugin: Plugin): JsonObject {
  const byId = (id: string): PluginConfig | undefined =>
    typeof config !== 'function' && Object.hasOwn(config, id) ? config[id] : undefined;
  const given = typeof config === 'function' ? config(plugin) : byId(plugin.id);
  if (given === undefined) return {};
  const copy: JsonObject = JSON.parse(JSON.stringify(given ?? {}));
  return copy;
}

async function installEntry(
  { plugin, quarantine }: { readonly plugin: Plugin; readonly quarantine: Quarantine },
  written: PluginEntry,
  config: JsonObject,
  capabilities: InstallCapabilities,
): Promise<InstalledEntry> {
  const { services, grants, contributions, denials, build, onChange } = capabilities;
  const { settings, guests, stores } = services;
  const entry = grants.request(plugin, written);
  let mapStack: Instance['mapStack'] | undefined;
  const watch = denials.watch(plugin.id);
  try {
    // guard: host-mode-allowed
    if (entry.confinement === 'host' && !settings.hostMode.includes(plugin.id)) {
      throw hostModeDenied(plugin);
    }
    const secrets = secretsOf(settings.secrets, plugin, entry);
    const bundle = await build(plugin, entry);
    if (bundle === undefined) throw notPinned(plugin.id, entry);
    // No guest may start before the first call, if what it offers is stored.
    requireSeparate(plugin.id, bundle, entry.confinement, settings);
    if (grants.of(plugin, entry).permissions.storage) await seedStorage(plugin, stores);
    // Read here, so that nothing is awaited between the grant and the instance that uses it.
    const grant = grants.of(plugin, entry);
    const spec: InstanceSpec & { readonly config: JsonObject } = {
      plugin,
      entry,
      bundle,
      config,
      secrets,
      grant,
      placement: {
        take: () => guests.take(entry.confinement),
        group: entry.confinement === 'compartment' ? guests.groups.of(plugin.id) : undefined,
        quarantine,
      },
      services,
    };
    const instance = openInstance(spec);
    ({ mapStack } = instance);
    // A revocation also applies while the entry is being queried for its contributions.
    const less = (): void => {
      const { permissions } = grants.of(plugin, entry);
      void instance.updateGrant(makeGrant(instance.grant.permissions, permissions));
    };
    instance.onClose(grants.onRevoked(plugin.id, less));
    const described = await contributions
      .of(plugin, instance, config)
      .catch(async (error: unknown) => {
        await instance.close();
        throw error;
      });
    const outer = await openOuter(spec, instance, build);
    // It may offer a thousand tools, and the host has other work besides reading them.
    await nextTurn();
    return makeLiveEntry({
      spec,
      instance,
      outer,
      described,
      contributions,
      onChange,
    });
  } catch (error) {
    return idle(entry, [{ ...asProblem(error, mapStack), ...watch.end() }]);
  } finally {
    watch.end();
  }
}

/**
 * Opens an unconfined instance for tools that request it (Vellum's `executionTarget`), if the
 * operator allows it for their plugin. The other tools stay confined.
 */
async function openOuter(
  spec: InstanceSpec,
  instance: Instance,
  build: InstallCapabilities['build'],
): Promise<Instance | undefined> {
  const { plugin, services, placement } = spec;
  const { settings, guests } = services;
  const mayHave = spec.entry.surfaces !== undefined && spec.entry.confinement === 'compartment';
  if (!mayHave || !settings.hostMode.includes(plugin.id)) return undefined;
  const entry = { ...spec.entry, confinement: 'host' } as const;
  try {
    const bundle = await build(plugin, entry);
    // Accepted without such a build: then its tools that require Node are refused, and the others run.
    if (bundle === undefined) return undefined;
    return openInstance({
      ...spec,
      entry,
      bundle,
      placement: { ...placement, take: () => guests.take('host'), group: undefined },
    });
  } catch (error) {
    await instance.close();
    throw error;
  }
}

function hostModeDenied({ id }: Plugin): BulkheadError {
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `${id} asks to run unconfined (sandbox: "host"), and was not allowed to. To allow it, add ${JSON.stringify(id)} to the engine's hostMode, or --allow-host ${shellWord(id)} on the command line: it can then do whatever your user can.`,
    { plugin: id },
  );
}
