import {
  type HostPowers,
  type PowerDefinition,
  readPowers,
} from '../../brokers/powers/host-powers.js';
import { BulkheadError } from '../../errors.js';
import type { Grant } from '../../permissions/grant.js';
import type { Plugin } from '../../plugin/plugin.js';
import { ownCompiler } from '../node/process-defaults.js';
import type { Credentials, CredentialStore } from '../types/credentials.js';
import { shellWord } from '../../visible.js';

/**
 * The permission for both powers below. A plugin that declares needed credentials declares this
 * permission.
 */
const PERMISSION = 'credentials';

/** The host's powers, with the plugin's powers over its own credentials. */
export function withCredentials(
  hostPowers: HostPowers,
  plugin: Plugin,
  credentials: Credentials | undefined,
  tenant?: string,
): HostPowers {
  if (credentials === undefined) return hostPowers;
  const own = readPowers(powersOver(plugin, storeOf(credentials), tenant), ownCompiler);
  return { ...hostPowers, find: (name) => hostPowers.find(name) ?? own.find(name) };
}

/**
 * The values of the credentials that a plugin needs, by the keys that the plugin wrote. Throws
 * `CREDENTIAL_MISSING` for the first credential without a value.
 */
export async function neededCredentials(
  plugin: Plugin,
  grant: Grant,
  credentials: Credentials | undefined,
  tenant?: string,
): Promise<Readonly<Record<string, string>>> {
  const needed = plugin.credentials ?? [];
  if (needed.length === 0) return {};
  const { resolve } = storeOf(credentials ?? (() => undefined));
  const only = tenant === undefined ? [] : ([tenant] as const);
  const values: [string, string][] = [];
  for (const key of needed) {
    const own = ownKey(plugin, key);
    const granted = grant.permissions.powers.includes(PERMISSION);
    const value =
      own === undefined || !granted ? undefined : await resolve(plugin.id, own, ...only);
    if (typeof value !== 'string') throw missing(plugin, key, own, granted);
    values.push([key, value]);
  }
  return Object.fromEntries(values);
}

function storeOf(credentials: Credentials): CredentialStore {
  return typeof credentials === 'function' ? { resolve: credentials } : credentials;
}

function powersOver(
  plugin: Plugin,
  { resolve, store }: CredentialStore,
  tenant: string | undefined,
): PowerDefinition[] {
  const only = tenant === undefined ? [] : ([tenant] as const);
  const keyOf = (ref: unknown): string => {
    // guard: credential-belongs-to-plugin
    const key = typeof ref === 'string' ? ownKey(plugin, ref) : undefined;
    if (key !== undefined) return key;
    throw refusal(`${plugin.id} may use its own credentials alone, written "${plugin.id}/<key>"`);
  };
  const refIn = (args: unknown): unknown => (Array.isArray(args) ? args[0] : undefined);
  const resolving: PowerDefinition = {
    name: 'resolveCredential',
    permission: PERMISSION,
    handler: async (args) => {
      const key = keyOf(refIn(args));
      // guard: credential-of-one-tenant
      const value = await resolve(plugin.id, key, ...only);
      if (typeof value === 'string') return value;
      throw refusal(`the host has no credential ${plugin.id}/${key}`);
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
        throw refusal(`a credential is a text of 1 to ${MAX_VALUE} characters`);
      }
      await store?.(plugin.id, key, text, ...only);
      return null;
    },
  };
  return store === undefined ? [resolving] : [resolving, storing];
}

const MAX_VALUE = 64 * 1024;

/** Returns the field of `service/field` if the service is the plugin itself, or a field alone. */
function ownKey({ id }: Plugin, ref: string): string | undefined {
  const slash = ref.indexOf('/');
  const [service, field] = slash < 0 ? [id, ref] : [ref.slice(0, slash), ref.slice(slash + 1)];
  return service === id && KEY.test(field) ? field : undefined;
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:-]{0,127}$/;

/** An error whose message the plugin may see. */
function refusal(message: string): Error {
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
        ? `To supply it, let the engine's option credentials give a text for (${JSON.stringify(id)}, ${JSON.stringify(own)}), or write --credential ${shellWord(`${id}/${own}=env:NAME`)}.`
        : `To allow it, grant ${id} the power "${PERMISSION}".`;
  return new BulkheadError(
    'CREDENTIAL_MISSING',
    `${id} does not begin without the credential ${JSON.stringify(key)}. ${remedy}`,
    { plugin: id, credential: key },
  );
}
