import { pathToFileURL } from 'node:url';
import { WireError } from '../../../sandbox/wire/failure.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { GuestGrant, GuestMount, LoadParams } from '../../../sandbox/wire/methods.js';
import { storageDirectoryOf } from '../../../sandbox/wire/storage.js';
import { snapshotEnvironment } from '../../brokers/environment.js';
import { BulkheadError } from '../../errors.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { startLoadDeadline } from '../../guests/load-deadline.js';
import { parseScope } from '../../permissions/filesystem.js';
import type { Grant } from '../../permissions/grant.js';
import { GUEST_LIMITS } from '../types/limits.js';
import type { Bundle } from '../../plugin/plugin.js';
import type { Settings } from '../types/settings.js';
import { neededCredentials } from './credentials.js';
import { identityOf } from './identity.js';
import { packagesFor } from './package-grants.js';
import type { InitContext, InstanceSpec } from './instance.js';
import type { HeldSecret } from './secrets.js';

/** The parameters that load an entry into a standby guest. */
export function loadParams(spec: InstanceSpec, sourceUrl: string, grant: GuestGrant): LoadParams {
  const { plugin, entry, bundle, config, placement } = spec;
  const { settings } = spec.services;
  return {
    plugin: identityOf(plugin),
    grant,
    limits: { ...GUEST_LIMITS, maxResultBytes: settings.limits.maxResultBytes },
    dialect: entry.dialect,
    code: settings.inspector === undefined ? bundle.code : withSourceMap(bundle, plugin.directory),
    sourceUrl,
    assignedGlobals: bundle.assignedGlobals,
    timeZone: settings.timeZone(),
    ...(settings.startTime === undefined ? {} : { startTime: settings.startTime }),
    config,
    hostPowers: settings.hostPowers.names,
    pluginInfo: entry.pluginInfo ?? null,
    ...packagesFor(plugin.id, bundle, entry.confinement, settings),
    ...(placement.tape === undefined ? {} : { tape: placement.tape }),
    ...(entry.confinement === 'host' ? { directory: plugin.directory } : {}),
  };
}

/** The code with its map, which names the sources by their paths on this machine. For a debugger. */
function withSourceMap({ code, sourceMap }: Bundle, directory: string): string {
  const root = `${pathToFileURL(directory).href}/`;
  const map = JSON.stringify({ ...JSON.parse(sourceMap), sourceRoot: root });
  const text = Buffer.from(map).toString('base64');
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${text}`;
}

/** A grant in the form that guests get. The host checks every request itself. */
export function guestGrant(
  { permissions }: Grant,
  env: Settings['env'],
  secrets: readonly HeldSecret[],
): GuestGrant {
  const { time, random, network, fs, env: variables, storage, powers } = permissions;
  return {
    time,
    random,
    network: network.length > 0,
    fs: fs.length > 0 ? mountsOf(fs) : undefined,
    storage,
    powers: powers.length > 0 ? powers : undefined,
    env: variables.length > 0 ? snapshotEnvironment(variables, env, secrets) : undefined,
  };
}

/** The granted absolute paths, as the guest sees them. */
function mountsOf(scopes: readonly string[]): readonly GuestMount[] {
  return scopes.map(parseScope).flatMap(({ path, at = path, isWritable }) => {
    return path.startsWith('/') ? [{ at, isWritable }] : [];
  });
}

type InitSpec = Pick<InstanceSpec, 'plugin' | 'config' | 'services' | 'tenant'>;

/**
 * Builds the `init` context: the operator's configuration with the defaults of the plugin's schema,
 * the storage directory, and the needed credentials. Rejects with `PLUGIN_INACTIVE` if the
 * configuration does not fit the schema, and with `CREDENTIAL_MISSING`.
 */
export function makeInitContext(spec: InitSpec, held: () => Grant): InitContext {
  const { plugin, services, tenant } = spec;
  const { settings } = services;
  return async (guest) => ({
    config: await fitConfig(spec, guest),
    credentials: {
      ...(await neededCredentials(plugin, held(), settings.credentials, tenant?.id)),
    },
    pluginStorageDir: storageDirectoryOf(plugin.id),
  });
}

/**
 * Checks the configuration in the plugin's own guest, outside its compartment and with a time
 * limit. A schema compiles to code, and a pattern in it may never end.
 */
async function fitConfig(
  { plugin, config, services: { settings, guests } }: InitSpec,
  guest: Guest,
): Promise<Json> {
  const { configSchema } = plugin;
  if (configSchema === undefined) return config;
  const { loadTimeoutMs } = settings.limits;
  const detail = `its configuration was not checked after ${loadTimeoutMs} ms`;
  const cancelDeadline = startLoadDeadline(guest, loadTimeoutMs, () =>
    guest.kill({ cause: 'deadline', detail }),
  );
  guests.validator.deliver(guest);
  try {
    const own = withoutOurs(config);
    return await guest.peer.ask('config', { schema: configSchema.schema, config: own }).answer;
  } catch (error) {
    if (error instanceof GuestEnded) throw endedBy(plugin.id, error, detail, loadTimeoutMs);
    if (!(error instanceof WireError)) throw error;
    const reason = `its configuration does not fit its schema: ${error.message}`;
    throw new BulkheadError(
      'PLUGIN_INACTIVE',
      `${plugin.id} does not begin: ${reason}. Change config[${JSON.stringify(plugin.id)}].`,
      { plugin: plugin.id, reasons: [reason] },
    );
  } finally {
    cancelDeadline();
  }
}

function endedBy(
  plugin: string,
  { end }: GuestEnded,
  detail: string,
  deadlineMs: number,
): BulkheadError {
  if (end.cause !== 'deadline') return endError(plugin, end);
  const message = `${plugin} does not begin: ${detail}, and it was killed. Look for patterns in its schema that never end.`;
  return new BulkheadError('DEADLINE_EXCEEDED', message, { deadlineMs });
}

/** Removes the engine's own fields from a configuration. */
function withoutOurs(config: Json): Json {
  if (!isRecord(config)) return config;
  const ours = new Set(['enabled', 'requireApproval']);
  return Object.fromEntries(Object.entries(config).filter(([key]) => !ours.has(key)));
}
