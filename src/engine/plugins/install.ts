import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Stores } from '../../brokers/storage/store.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { FoundPlugin } from '../../formats/format.js';
import { formats } from '../../formats/table.js';
import type { Capacity } from '../../guests/capacity.js';
import type { Guest } from '../../guests/guest.js';
import { makeGrant } from '../../permissions/grant.js';
import type { Bundle, Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { OpenEntry } from '../entry/entry.js';
import { openEntry } from '../entry/room.js';
import type { Effects } from '../call/effects.js';
import type { EntrySpec } from '../entry/entry-spec.js';
import type { Grants } from '../grants/grants.js';
import type { HookTexts } from '../hooks/hook-courier.js';
import { asProblem, idle } from './idle-entry.js';
import type { Groups } from '../entry/groups.js';
import type { Installed, InstalledEntry } from './installed.js';
import type { Offers } from '../entry/offers.js';
import type { PluginConfig } from '../options/options.js';
import { makeQuarantine, type Quarantine } from '../entry/quarantine.js';
import { runEntry } from '../entry/running.js';
import { secretsOf } from '../options/secrets.js';
import { seedStorage } from './seed-storage.js';
import type { Settings } from '../options/settings.js';
import type { PluginProblem } from './status.js';
import type { Traffic } from '../../traffic/traffic.js';
import type { ValidatorCourier } from '../entry/validator-courier.js';

export interface InstallPowers {
  readonly settings: Settings;
  readonly grants: Grants;
  readonly events: EventBus;
  readonly offers: Offers;
  readonly validator: ValidatorCourier;
  readonly hookTexts: HookTexts;
  readonly stores: Stores;
  readonly effects: Effects;
  readonly bundle: (plugin: Plugin, entry: PluginEntry) => Promise<Bundle>;
  readonly take: (confinement: PluginEntry['confinement']) => Guest;
  readonly capacity: Capacity;
  readonly traffic: Traffic;
  readonly canRest: boolean;
  readonly groups: Groups;
  readonly now: () => number;
  /** What an entry offers, or may do, is no longer what it was. */
  readonly onChange: () => void;
}

/**
 * Takes one plugin from what is on disk to tools that can be called. Never rejects: whatever is
 * wrong with it becomes a problem of the entry, or the plugin, that it is wrong with.
 */
export async function install(found: FoundPlugin, powers: InstallPowers): Promise<Installed> {
  const { plugin } = found;
  const { limits } = powers.settings;
  const decision = decide(found, powers.settings);
  const active = decision.activation.config;
  const { maxCrashes, crashWindowMs, quarantineMs } = limits;
  const quarantine = makeQuarantine({
    maxCrashes,
    crashWindowMs,
    quarantineMs,
    plugin: plugin.id,
    events: powers.events,
    now: () => performance.now(),
  });
  const entries = await Promise.all(
    plugin.entries
      .filter((entry) => entry.surface === 'tools')
      .map((entry) =>
        active === null
          ? Promise.resolve(idle(entry))
          : installEntry({ plugin, quarantine }, entry, active, powers),
      ),
  );
  return {
    plugin,
    ...decision,
    entries,
    lane: powers.traffic.open(plugin.id),
    quarantine,
    ...trustGroupOf(powers, plugin),
  };
}

/** What can be said of a plugin before any of it is loaded. */
export function decide(
  { plugin, problems, withheld, waiting }: FoundPlugin,
  { config, env }: Settings,
): Pick<Installed, 'activation' | 'config' | 'problems'> {
  const raw = configOf(config, plugin);
  const decided = formats[plugin.format].decideActivation(plugin, raw, (name) => env[name]);
  return {
    activation:
      withheld === undefined ? decided : { ...decided, config: null, reasons: [withheld] },
    config: raw,
    problems: [
      ...problems.map((message): PluginProblem => ({ code: 'INVALID_MANIFEST', message })),
      ...(waiting === undefined ? [] : [{ code: 'UPDATE_WAITS' as const, message: waiting }]),
    ],
  };
}

function trustGroupOf({ groups }: InstallPowers, { id }: Plugin): Pick<Installed, 'trustGroup'> {
  const group = groups.of(id);
  return group === undefined ? {} : { trustGroup: group.name };
}

/** A plugin that the host lists and says nothing more about is there to be used. */
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
  powers: InstallPowers,
): Promise<InstalledEntry> {
  const { settings, grants, offers } = powers;
  const entry = grants.request(plugin, written);
  try {
    if (entry.confinement === 'host' && !settings.hostMode.includes(plugin.id)) {
      throw hostModeDenied(plugin);
    }
    const secrets = secretsOf(settings.secrets, plugin, entry);
    const bundle = await powers.bundle(plugin, entry);
    if (grants.of(plugin, entry).permissions.storage) await seedStorage(plugin, powers.stores);
    // Only now, with nothing to wait for between this and the room that follows it.
    const grant = grants.of(plugin, entry);
    // By name: for a thousand entries, copying all that is there takes several milliseconds.
    const spec = {
      plugin,
      entry,
      grant,
      secrets,
      bundle,
      config,
      quarantine,
      settings,
      events: powers.events,
      hookTexts: powers.hookTexts,
      validator: powers.validator,
      stores: powers.stores,
      effects: powers.effects,
      capacity: powers.capacity,
      canRest: powers.canRest,
      now: powers.now,
      take: () => powers.take(entry.confinement),
      group: entry.confinement === 'compartment' ? powers.groups.of(plugin.id) : undefined,
    } satisfies EntrySpec;
    const room = openEntry(spec);
    // What is taken away while it is still being asked what it offers is gone for it as for others.
    const less = (): void => {
      const { permissions } = grants.of(plugin, entry);
      void room.follow(makeGrant(room.grant.permissions, permissions));
    };
    room.onClose(grants.onRevoked(plugin.id, less));
    const described = await offers.of(plugin.id, room, config).catch(async (error: unknown) => {
      await room.close();
      throw error;
    });
    const outer = await openOuter(spec, room, powers);
    return runEntry({ spec, room, outer, described, offers, onChange: powers.onChange });
  } catch (error) {
    return idle(entry, [asProblem(error)]);
  }
}

/**
 * Where tools run that want to be unconfined, one by one (Vellum's `executionTarget`), if the
 * operator lets their plugin: apart from the others, which stay where they are.
 */
async function openOuter(
  spec: EntrySpec,
  room: OpenEntry,
  powers: InstallPowers,
): Promise<OpenEntry | undefined> {
  const { plugin, settings } = spec;
  const mayHave = spec.entry.surfaces !== undefined && spec.entry.confinement === 'compartment';
  if (!mayHave || !settings.hostMode.includes(plugin.id)) return undefined;
  const entry = { ...spec.entry, confinement: 'host' } as const;
  try {
    const bundle = await powers.bundle(plugin, entry);
    return openEntry({ ...spec, entry, bundle, take: () => powers.take('host'), group: undefined });
  } catch (error) {
    await room.close();
    throw error;
  }
}

function hostModeDenied({ id }: Plugin): BulkheadError {
  return new BulkheadError(
    'HOST_MODE_DENIED',
    `${id} asks to run unconfined (sandbox: "host"), and was not allowed to. To allow it, add ${JSON.stringify(id)} to the engine's hostMode, or --allow-host ${id} on the command line: it can then do whatever your user can.`,
    { plugin: id },
  );
}
