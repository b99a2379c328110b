import type { Attribution } from '../brokers/attribution.js';
import { makeFilesystemBroker } from '../brokers/filesystem/broker.js';
import { makeNetworkBroker } from '../brokers/network/broker.js';
import type { Secret } from '../brokers/network/secrets/secret.js';
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
  return {
    brokers: { network, filesystem },
    close: async () => {
      filesystem?.close();
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

function openFilesystem({ plugin, grant, events }: EntrySpec): Brokers['filesystem'] {
  if (grant.permissions.filesystem.length === 0) return undefined;
  return makeFilesystemBroker({
    plugin: { id: plugin.id, manifest: plugin.manifest },
    directory: plugin.directory,
    granted: grant.permissions.filesystem,
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

function attributed(of: {
  readonly call: string | undefined;
  readonly among: readonly string[] | undefined;
}): Attribution {
  return {
    ...(of.call === undefined ? {} : { call: of.call }),
    ...(of.among === undefined ? {} : { among: of.among }),
  };
}
