import { attributed } from '../../brokers/attribution.js';
import { type FilesystemBroker, makeFilesystemBroker } from '../../brokers/filesystem/broker.js';
import { makeNetworkBroker, type NetworkBroker } from '../../brokers/network/broker.js';
import type { Secret } from '../../brokers/network/secrets/secret.js';
import { makePowerBroker, type PowerBroker } from '../../brokers/powers/broker.js';
import { makeStorageBroker, type StorageBroker } from '../../brokers/storage/broker.js';
import type { Grant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import { openSlot } from './broker-slot.js';
import { withCredentials } from '../options/credentials.js';
import type { EntrySpec } from './entry-spec.js';
import { identityOf } from '../grants/identity.js';
import type { Brokers } from './service.js';

/** What serves an entry's guests, and follows its grant. */
export interface OpenBrokers {
  /** Those that are there now. */
  readonly brokers: Brokers;
  /**
   * The grant has changed: what it no longer covers is refused, and ended where it is under way, when
   * this returns.
   */
  follow(before: Grant): void;
  close(): Promise<void>;
}

export interface BrokersSpec extends Omit<EntrySpec, 'grant' | 'secrets'> {
  /** The entry's grant, as it is now. */
  readonly held: () => Grant;
  /** The secrets of variables that are granted now. */
  readonly secrets: () => readonly Secret[];
}

/**
 * Opens the powers that an entry was granted, and tells the engine's listeners of each use. Its
 * brokers outlive its guests: a fresh guest goes on with the caps where the last one left them.
 */
export function openBrokers(spec: BrokersSpec): OpenBrokers {
  const { held, secrets } = spec;
  const granted = held().permissions;
  const network = openSlot(
    {
      kind: 'network',
      open: () => openNetwork(spec),
      follow: (broker, scopes) => broker.follow({ granted: scopes, secrets: secrets() }),
    },
    granted,
  );
  const filesystem = openSlot(
    {
      kind: 'filesystem',
      open: () => openFilesystem(spec),
      follow: (broker, scopes, narrowed) => broker.follow(scopes, narrowed),
    },
    granted,
  );
  const storage = openSlot({ kind: 'storage', open: () => openStorage(spec) }, granted);
  const powers = openSlot(
    {
      kind: 'powers',
      open: () => openPowers(spec),
      follow: (broker, scopes) => broker.follow(scopes),
    },
    granted,
  );
  const slots = [network, filesystem, storage, powers];
  return {
    brokers: {
      get network() {
        return network.current;
      },
      get filesystem() {
        return filesystem.current;
      },
      get storage() {
        return storage.current;
      },
      get powers() {
        return powers.current;
      },
    },
    follow: (before) => {
      for (const slot of slots) slot.follow(before.permissions, held().permissions);
    },
    close: async () => {
      await Promise.all(slots.map((slot) => slot.close()));
    },
  };
}

/** Whether anything of it is served by a broker. */
export function needsBrokers(granted: Permissions): boolean {
  const { network, filesystem, storage, powers } = granted;
  return storage || network.length > 0 || filesystem.length > 0 || powers.length > 0;
}

function openNetwork({ plugin, held, settings, secrets, events }: BrokersSpec): NetworkBroker {
  return makeNetworkBroker({
    plugin: identityOf(plugin),
    granted: held().permissions.network,
    allows: (url, method) => held().allowsUrl(url, method),
    ...settings.network,
    secrets: secrets(),
    onSecret: (use) => events.emit({ ...use, plugin: plugin.id }),
    onEvent: ({ url, method, outcome, status, bytesIn, bytesOut, durationMs, call, among }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'network',
        wanted: `${method} ${url}`,
        ...attributed({ call, among }),
        outcome: status === undefined ? outcome : String(status),
        bytesIn,
        bytesOut,
        durationMs,
      });
    },
  });
}

function openFilesystem({ plugin, held, events }: BrokersSpec): FilesystemBroker {
  return makeFilesystemBroker({
    plugin: identityOf(plugin),
    directory: plugin.directory,
    granted: held().permissions.filesystem,
    onEvent: ({ path, outcome, bytes, call, among }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'filesystem',
        wanted: path,
        ...attributed({ call, among }),
        outcome,
        bytesIn: bytes,
      });
    },
  });
}

function openStorage({ plugin, events, stores }: BrokersSpec): StorageBroker {
  return makeStorageBroker({
    plugin: identityOf(plugin),
    store: stores(plugin.id),
    onEvent: ({ what, outcome, bytesRead, bytesWritten, durationMs, call, among }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'storage',
        wanted: what,
        ...attributed({ call, among }),
        outcome,
        bytesIn: bytesRead,
        bytesOut: bytesWritten,
        durationMs,
      });
    },
  });
}

function openPowers({ plugin, held, events, settings }: BrokersSpec): PowerBroker {
  return makePowerBroker({
    plugin: identityOf(plugin),
    lent: withCredentials(settings.lent, plugin, settings.credentials),
    granted: held().permissions.powers,
    onEvent: ({ power, outcome, bytesIn, bytesOut, durationMs, reason, call, among }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'powers',
        wanted: power,
        ...attributed({ call, among }),
        outcome,
        bytesIn,
        bytesOut,
        durationMs,
      });
      if (outcome !== 'failed' || reason === undefined) return;
      settings.logger.warn({ plugin: plugin.id, power, reason }, 'a power of the host failed');
    },
  });
}
