import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { storageDirectoryOf } from '../../../sandbox/wire/storage.js';
import { isRecord } from '../../../sandbox/wire/parse.js';
import { WireError } from '../../../sandbox/wire/failure.js';
import { BulkheadError } from '../../errors.js';
import { endError, GuestEnded } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import type { Grant } from '../../permissions/grant.js';
import { neededCredentials } from '../options/credentials.js';
import type { EntrySpec } from './entry-spec.js';

/** What a plugin is told when it begins in a guest. */
export type InitContext = (guest: Guest) => Promise<JsonObject>;

type InitSpec = Pick<EntrySpec, 'plugin' | 'config' | 'settings' | 'validator'>;

/**
 * Makes it: the operator's configuration, with the defaults of the plugin's own schema; where its data
 * lies; and the credentials that it needs. Rejects with `PLUGIN_INACTIVE` where the configuration does
 * not fit, and with `CREDENTIAL_MISSING`: such a plugin does not begin.
 */
export function makeInitContext(spec: InitSpec, held: () => Grant): InitContext {
  const { plugin, settings } = spec;
  return async (guest) => ({
    config: await fitConfig(spec, guest),
    credentials: { ...(await neededCredentials(plugin, held(), settings.credentials)) },
    pluginStorageDir: storageDirectoryOf(plugin.id),
  });
}

/**
 * A stranger's schema becomes code: it is run by the plugin's own guest, beside its compartment, and
 * for so long. A pattern in it may never end.
 */
async function fitConfig(
  { plugin, config, validator, settings }: InitSpec,
  guest: Guest,
): Promise<Json> {
  const { configSchema } = plugin;
  if (configSchema === undefined) return config;
  const { loadTimeoutMs } = settings.limits;
  const detail = `its configuration was not checked after ${loadTimeoutMs} ms`;
  const timer = setTimeout(() => guest.kill({ cause: 'deadline', detail }), loadTimeoutMs);
  validator.deliver(guest);
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
    clearTimeout(timer);
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

/** The words in a configuration that are the engine's. */
function withoutOurs(config: Json): Json {
  if (!isRecord(config)) return config;
  const ours = new Set(['enabled', 'requireApproval']);
  return Object.fromEntries(Object.entries(config).filter(([key]) => !ours.has(key)));
}
