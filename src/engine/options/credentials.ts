import type { PowerDefinition } from '../../brokers/powers/definition.js';
import type { LentPowers } from '../../brokers/powers/lent.js';
import { readPowers } from '../../brokers/powers/lent.js';
import { BulkheadError } from '../../errors.js';
import type { Grant } from '../../permissions/grant.js';
import type { Plugin } from '../../plugin/plugin.js';
import { ownCompiler } from '../powers/own-compiler.js';

/**
 * Where plugins' credentials come from. It is asked by the plugin's id and the key within that plugin's
 * own: `('weather', 'api_key')` for `weather/api_key`. Another plugin's is never asked for, whatever
 * a plugin says. `undefined`: there is none, and whoever asked fails.
 */
export type Credentials = CredentialSource | CredentialStore;

export type CredentialSource = (
  plugin: string,
  key: string,
) => string | undefined | Promise<string | undefined>;

export interface CredentialStore {
  readonly resolve: CredentialSource;
  /** Keeps one for the plugin. Absent: plugins cannot store any. */
  readonly store?: (plugin: string, key: string, value: string) => void | Promise<void>;
}

/** The permission that lends both powers below. Whoever declares needed credentials declares it. */
const PERMISSION = 'credentials';

/** What the host lends, and to this plugin the powers over its own credentials. */
export function withCredentials(
  lent: LentPowers,
  plugin: Plugin,
  credentials: Credentials | undefined,
): LentPowers {
  if (credentials === undefined) return lent;
  const own = readPowers(powersOver(plugin, storeOf(credentials)), ownCompiler);
  return { ...lent, find: (name) => lent.find(name) ?? own.find(name) };
}

/**
 * The values of the credentials that a plugin says it needs, by the keys that it wrote. Throws
 * `CREDENTIAL_MISSING` for the first that nobody has: it does not begin with a part of them.
 */
export async function neededCredentials(
  plugin: Plugin,
  grant: Grant,
  credentials: Credentials | undefined,
): Promise<Readonly<Record<string, string>>> {
  const needed = plugin.credentials ?? [];
  if (needed.length === 0) return {};
  const { resolve } = storeOf(credentials ?? (() => undefined));
  const values: [string, string][] = [];
  for (const key of needed) {
    const own = ownKey(plugin, key);
    const granted = grant.permissions.powers.includes(PERMISSION);
    const value = own === undefined || !granted ? undefined : await resolve(plugin.id, own);
    if (typeof value !== 'string') throw missing(plugin, key, own, granted);
    values.push([key, value]);
  }
  return Object.fromEntries(values);
}

function storeOf(credentials: Credentials): CredentialStore {
  return typeof credentials === 'function' ? { resolve: credentials } : credentials;
}

function powersOver(plugin: Plugin, { resolve, store }: CredentialStore): PowerDefinition[] {
  const keyOf = (ref: unknown): string => {
    const key = typeof ref === 'string' ? ownKey(plugin, ref) : undefined;
    if (key !== undefined) return key;
    throw told(`${plugin.id} may use its own credentials alone, written "${plugin.id}/<key>"`);
  };
  const refIn = (args: unknown): unknown => (Array.isArray(args) ? args[0] : undefined);
  const resolving: PowerDefinition = {
    name: 'resolveCredential',
    permission: PERMISSION,
    handler: async (args) => {
      const key = keyOf(refIn(args));
      const value = await resolve(plugin.id, key);
      if (typeof value === 'string') return value;
      throw told(`the host has no credential ${plugin.id}/${key}`);
    },
  };
  const storing: PowerDefinition = {
    name: 'storeCredential',
    permission: PERMISSION,
    handler: async (args) => {
      const key = keyOf(refIn(args));
      const value: unknown = Array.isArray(args) ? args[1] : undefined;
      const text = typeof value === 'string' ? value.trim() : '';
      if (text === '' || text.length > MAX_VALUE) {
        throw told(`a credential is a text of 1 to ${MAX_VALUE} characters`);
      }
      await store?.(plugin.id, key, text);
      return null;
    },
  };
  return store === undefined ? [resolving] : [resolving, storing];
}

const MAX_VALUE = 64 * 1024;

/** `service/field` where the service is the plugin itself, or a field alone. */
function ownKey({ id }: Plugin, ref: string): string | undefined {
  const slash = ref.indexOf('/');
  const [service, field] = slash < 0 ? [id, ref] : [ref.slice(0, slash), ref.slice(slash + 1)];
  return service === id && KEY.test(field) ? field : undefined;
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}$/;

/** Words that are meant for the plugin. */
function told(message: string): Error {
  return Object.assign(new Error(message), { expose: true });
}

function missing(
  { id, manifest }: Plugin,
  key: string,
  own: string | undefined,
  granted: boolean,
): BulkheadError {
  const remedy =
    own === undefined
      ? `It is none of its own: write "${id}/<key>", or the key alone, in ${manifest}.`
      : granted
        ? `To supply it, let the engine's option credentials give a text for (${JSON.stringify(id)}, ${JSON.stringify(own)}), or write --credential ${id}/${own}=env:NAME.`
        : `To allow it, grant ${id} the power "${PERMISSION}".`;
  return new BulkheadError(
    'CREDENTIAL_MISSING',
    `${id} does not begin without the credential ${JSON.stringify(key)}. ${remedy}`,
    { plugin: id, credential: key },
  );
}
