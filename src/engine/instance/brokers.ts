import { type FilesystemBroker, makeFilesystemBroker } from '../../brokers/filesystem/broker.js';
import { makeNetworkBroker, type NetworkBroker } from '../../brokers/network/broker.js';
import type { Secret } from '../../brokers/network/secrets/secret.js';
import { writtenBy } from '../../brokers/written-files.js';
import { makePowerBroker, type PowerBroker } from '../../brokers/powers/broker.js';
import { attributed } from '../../brokers/record.js';
import type { EnclaveCipher } from '../../brokers/storage/enclave-cipher.js';
import { makeStorageBroker, type StorageBroker } from '../../brokers/storage/broker.js';
import type { EventBus } from '../../events.js';
import type { Grant } from '../../permissions/grant.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import { scopesOf } from '../../permissions/permissions.js';
import { scopeTexts } from '../../permissions/table.js';
import type { Plugin } from '../../plugin/plugin.js';
import { withCredentials } from './credentials.js';
import { openEnclaveCipher } from '../node/enclave-keys.js';
import { identityOf } from './identity.js';
import type { EngineServices } from './instance.js';
import type { Brokers } from './request-gate.js';

/** The brokers of one entry's guests. */
export interface OpenBrokers {
  /** The open brokers. */
  readonly brokers: Brokers;
  /**
   * Applies a changed grant. When this returns, the brokers refuse what is no longer granted, and
   * have ended running requests for it.
   */
  follow(before: Grant): void;
  close(): Promise<void>;
}

export interface BrokersSpec {
  readonly plugin: Plugin;
  /** The only tenant whose calls they serve, under `isolation`. */
  readonly tenant?: string | undefined;
  readonly services: Pick<
    EngineServices,
    'settings' | 'stores' | 'written' | 'mountUse' | 'mountPlaces'
  >;
  readonly events: EventBus;
  /** Returns the entry's current grant. */
  readonly held: () => Grant;
  /** Returns the secrets of the currently granted variables. */
  readonly secrets: () => readonly Secret[];
}

/**
 * Opens the brokers for an entry's grant. Each use emits an event. The brokers outlive the entry's
 * guests, so a new guest continues with the used part of each cap.
 */
export function openBrokers(spec: BrokersSpec): OpenBrokers {
  const { held, secrets } = spec;
  const granted = held().permissions;
  const network = openSlot(
    {
      kind: 'network',
      open: () => openNetwork(spec),
      follow: (broker, scopes) => broker.updateGrant({ granted: scopes, secrets: secrets() }),
    },
    granted,
  );
  const filesystem = openSlot(
    {
      kind: 'fs',
      open: () => openFilesystem(spec),
      follow: (broker, scopes, narrowed) => broker.updateGrant(scopes, narrowed),
    },
    granted,
  );
  const storage = openSlot({ kind: 'storage', open: () => openStorage(spec) }, granted);
  const powers = openSlot(
    {
      kind: 'powers',
      open: () => openPowers(spec),
      follow: (broker, scopes) => broker.updateGrant(scopes),
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

/** Whether a broker serves any of these permissions. */
export function needsBrokers(granted: Permissions): boolean {
  const { network, fs, storage, powers } = granted;
  return storage || network.length > 0 || fs.length > 0 || powers.length > 0;
}

function openNetwork({
  plugin,
  held,
  services: { settings },
  secrets,
  events,
}: BrokersSpec): NetworkBroker {
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

function openFilesystem({
  plugin,
  held,
  events,
  services: { settings, written, mountUse, mountPlaces },
}: BrokersSpec): FilesystemBroker {
  const { limits } = settings;
  const closed = [...settings.closed, plugin.directory];
  return makeFilesystemBroker({
    plugin: identityOf(plugin),
    directory: plugin.directory,
    granted: held().permissions.fs,
    isPinned: plugin.ownFiles !== undefined,
    placeOf: mountPlaces?.placeOf,
    closed: mountPlaces?.closed(closed) ?? closed,
    written: written(plugin.id),
    mountUse: mountUse(plugin.id),
    limits: { maxMountBytes: limits.maxMountBytes, maxMountFiles: limits.maxMountFiles },
    onEvent: ({ path, op, outcome, bytes, call, among }) => {
      events.emit({
        type: outcome === 'denied' ? 'capability-denied' : 'capability-used',
        plugin: plugin.id,
        permission: 'fs',
        wanted: op === undefined ? path : `${op} ${path}`,
        ...attributed({ call, among }),
        outcome,
        bytesIn: bytes,
      });
    },
  });
}

function openStorage({ plugin, tenant, events, services }: BrokersSpec): StorageBroker {
  const { stores, settings } = services;
  let cipher: EnclaveCipher | undefined;
  return makeStorageBroker({
    plugin: identityOf(plugin),
    written: writtenBy(tenant, services.written(plugin.id)),
    // guard: storage-of-one-tenant
    store: stores(plugin.id, tenant),
    cipher: () =>
      (cipher ??= openEnclaveCipher(settings.enclaveKeyFile, settings.storageDirectory)),
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

function openPowers({
  plugin,
  tenant,
  held,
  events,
  services: { settings },
}: BrokersSpec): PowerBroker {
  return makePowerBroker({
    plugin: identityOf(plugin),
    tenant,
    hostPowers: withCredentials(settings.hostPowers, plugin, settings.credentials, tenant),
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

/** The part of a broker that a slot uses. */
export interface Closable {
  /** Ends running requests and refuses later ones. */
  close(): unknown;
}

/** The broker of one kind of permission. It is open while a permission of that kind is granted. */
export interface BrokerSlot<Broker extends Closable> {
  readonly current: Broker | undefined;
  /** Applies a changed grant before it returns. */
  follow(before: Permissions, after: Permissions): void;
  close(): Promise<void>;
}

export interface SlotSpec<Broker extends Closable> {
  readonly kind: PermissionName;
  readonly open: () => Broker;
  /**
   * Applies changed scopes to the open broker. If absent, the broker is closed and another one
   * opened.
   */
  readonly follow?: (broker: Broker, scopes: readonly string[], narrowed: boolean) => void;
}

/** Opens the broker if the kind is granted, and follows each change of the grant. */
export function openSlot<Broker extends Closable>(
  { kind, open, follow }: SlotSpec<Broker>,
  granted: Permissions,
): BrokerSlot<Broker> {
  let current = scopesOf(granted, kind).length === 0 ? undefined : open();
  const closing: unknown[] = [];
  const shut = (): void => {
    closing.push(current?.close());
    current = undefined;
  };

  return {
    get current() {
      return current;
    },
    follow: (before, after) => {
      const scopes = scopesOf(after, kind);
      const narrowed = scopeTexts[kind].beyond(scopes, scopesOf(before, kind)).length > 0;
      // guard: broker-closed-without-grant
      if (scopes.length === 0) shut();
      else if (current === undefined) current = open();
      else if (follow !== undefined) follow(current, scopes, narrowed);
      else if (narrowed || scopes.length !== scopesOf(before, kind).length) {
        shut();
        current = open();
      }
    },
    close: async () => {
      shut();
      await Promise.all(closing);
    },
  };
}
