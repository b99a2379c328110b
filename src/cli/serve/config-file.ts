import { dirname, resolve } from 'node:path';
import type { EngineOptions } from '../../engine/types/options.js';
import { type ConfigFile, parseConfig } from '../../http/config.js';
import type { ConfiguredAudit } from '../../http/configured-audit.js';
import type { ConfiguredFleet } from '../../http/configured-fleet.js';
import { parseIdentityKey } from '../../keys/identity-key.js';
import type { RemoteOptions } from '../../remotes/remote.js';
import type { CliCapabilities } from '../capabilities.js';
import { reasonOf, usageError } from '../failure.js';

export const DEFAULT_FILE = 'bulkhead.config.json';

/** Reads `--config`, else the default file if it exists. Relative paths are resolved from the file's directory. */
export async function readConfigFile(
  { config }: { readonly config?: string },
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<ConfigFile> {
  const file = config ?? DEFAULT_FILE;
  let text: string;
  try {
    text = await readFile(file);
  } catch (error) {
    if (config === undefined) return {};
    const why = reasonOf(error);
    throw usageError('--config', `--config cannot read ${file}: ${why}`);
  }
  const read = parseConfig(text, file);
  const base = dirname(resolve(file));
  const { keyFile } = read.identity ?? {};
  const { storageDirectory, rules, lockFile, audit, credentials, fleet } = read;
  return {
    ...read,
    ...(credentials === undefined ? {} : { credentials: filesBelow(base, credentials) }),
    ...absolute(base, { storageDirectory, rules, lockFile }),
    ...(fleet === undefined ? {} : { fleet: fleetBelow(base, fleet) }),
    ...(audit === undefined ? {} : { audit: auditBelow(base, audit) }),
    plugins: (read.plugins ?? []).map((path) => resolve(base, path)),
    ...(keyFile === undefined
      ? {}
      : { identity: { ...read.identity, keyFile: resolve(base, keyFile) } }),
  };
}

/** Resolves `@FILE` from the directory of the configuration. */
function filesBelow(
  base: string,
  places: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(places).map(([name, text]) => [
      name,
      text.startsWith('@') ? `@${resolve(base, text.slice(1))}` : text,
    ]),
  );
}

/** Resolves the files of an audit log from the directory of the configuration. */
function auditBelow(base: string, audit: ConfiguredAudit): ConfiguredAudit {
  const { file, signKey, publicKey, anchors } = audit;
  return {
    ...audit,
    file: resolve(base, file),
    ...absolute(base, { signKey, publicKey }),
    ...(anchors === undefined
      ? {}
      : {
          anchors: anchors.map((one) => ('file' in one ? { file: resolve(base, one.file) } : one)),
        }),
  };
}

/** Resolves the files of a fleet from the directory of the configuration. */
function fleetBelow(base: string, fleet: ConfiguredFleet): ConfiguredFleet {
  const { signKey, nkeyFile, credentialsFile, caFile } = fleet;
  return {
    ...fleet,
    signKey: resolve(base, signKey),
    ...absolute(base, { nkeyFile, credentialsFile, caFile }),
  };
}

/** Resolves paths from the directory of the configuration. */
function absolute(
  base: string,
  paths: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([name, path]) =>
      path === undefined ? [] : [[name, resolve(base, path)]],
    ),
  );
}

/** Our identity for servers that require a token. `url` returns our own URL once it is known. */
export async function readIdentity(
  { identity = {} }: ConfigFile,
  url: () => string,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<NonNullable<EngineOptions['identity']>> {
  const { keyFile, issuer = url, ...rest } = identity;
  if (keyFile === undefined) return { ...rest, issuer };
  const text = await readFile(keyFile).catch((error: unknown) => {
    throw usageError('--config', `identity.keyFile cannot read ${keyFile}: ${reasonOf(error)}`);
  });
  // guard: identity-key-checked-at-start
  return { ...rest, issuer, key: { ...parseIdentityKey(text, keyFile) } };
}

/** Replaces `${NAME}` in a server's headers, variables and client secret by the host's variable. */
export function fillIn(
  remote: RemoteOptions,
  environment: Readonly<Record<string, string | undefined>>,
): RemoteOptions {
  const fillText = (text: string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (_all, variable: string) => {
      const value = environment[variable];
      if (value !== undefined) return value;
      throw usageError(
        'remotes',
        `the configuration of a server uses ${variable}, which is not set; set the variable`,
      );
    });
  const fill = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fillText(text)]));
  if ('mcp' in remote) {
    const { headers, oauth } = remote;
    const secret = typeof oauth === 'object' ? oauth.clientSecret : undefined;
    return {
      ...remote,
      ...(headers === undefined ? {} : { headers: fill(headers) }),
      ...(typeof oauth === 'object' && secret !== undefined
        ? { oauth: { ...oauth, clientSecret: fillText(secret) } }
        : {}),
    };
  }
  if ('env' in remote && remote.env !== undefined) return { ...remote, env: fill(remote.env) };
  return remote;
}
