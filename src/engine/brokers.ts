import { makeFilesystemBroker } from '../brokers/filesystem/broker.js';
import { makeNetworkBroker } from '../brokers/network/broker.js';
import type { Secret } from '../brokers/network/secrets/secret.js';
import { makeStorageBroker } from '../brokers/storage/broker.js';
import type { EntrySpec } from './entry-spec.js';
import type { Brokers } from './service.js';

/**
 * Opens the powers that an entry was granted, and tells the engine's listeners of each use. Its
 * brokers outlive its guests: a fresh guest goes on with the caps where the last one left them.
 */
export function openBrokers(
  spec: EntrySpec,
  secrets: readonly Secret[],
): {
  readonly brokers: Brokers;
  readonly close: () => Promise<void>;
} {
  const network = openNetwork(spec, secrets);
  const filesystem = openFilesystem(spec);
  const storage = openStorage(spec);
  return {
    brokers: { network, filesystem, storage },
    close: async () => {
      filesystem?.close();
      storage?.close();
      await network?.close();
    },
  };
}

function openNetwork(
  { plugin, grant, settings, events }: EntrySpec,
  secrets: readonly Secret[],
): Brokers['network'] {
  if (grant.permissions.network.length === 0) return undefined;
  return makeNetworkBroker({
    plugin: { id: plugin.id, manifest: plugin.manifest },
    granted: grant.permissions.network,
    allows: (url, method) => grant.allowsUrl(url, method),
    ...settings.network,
    secrets,
    onSecret: (use) => events.emit({ ...use, plugin: plugin.id }),
    onEvent: ({ url, method, outcome, status, bytesIn, bytesOut, durationMs }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'network',
        wanted: `${method} ${url}`,
        outcome: status === undefined ? outcome : String(status),
        bytesIn,
        bytesOut,
        durationMs,
      });
    },
  });
}

function openFilesystem({ plugin, grant, events }: EntrySpec): Brokers['filesystem'] {
  if (grant.permissions.filesystem.length === 0) return undefined;
  return makeFilesystemBroker({
    plugin: { id: plugin.id, manifest: plugin.manifest },
    directory: plugin.directory,
    granted: grant.permissions.filesystem,
    onEvent: ({ path, outcome, bytes }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'filesystem',
        wanted: path,
        outcome,
        bytesIn: bytes,
      });
    },
  });
}

function openStorage({ plugin, grant, events, stores }: EntrySpec): Brokers['storage'] {
  if (!grant.permissions.storage) return undefined;
  return makeStorageBroker({
    plugin: { id: plugin.id, manifest: plugin.manifest },
    store: stores(plugin.id),
    onEvent: ({ what, outcome, bytesRead, bytesWritten, durationMs }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'storage',
        wanted: what,
        outcome,
        bytesIn: bytesRead,
        bytesOut: bytesWritten,
        durationMs,
      });
    },
  });
}
