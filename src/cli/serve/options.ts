import { dirname, resolve } from 'node:path';
import { type ConfigFile } from '../../http/config-file.js';
import { parseConfig } from '../../http/config.js';
import type { ServerOptions } from '../../http/server.js';
import type { EngineOptions, Logger } from '../../index.js';
import { chooseApprover } from '../approve.js';
import { readJsonObject } from '../arguments.js';
import { consentOptions } from '../consent.js';
import { type CredentialPlaces, credentialsFrom, placeOf } from '../credentials.js';
import { usageError } from '../failure.js';
import type { CliPowers } from '../powers.js';
import { whereDeclared } from '../secrets.js';
import { grantOf } from '../settings.js';
import { fillIn } from './fill-in.js';
import type { EngineSettings, ServeSettings } from './settings.js';

export const DEFAULT_FILE = 'bulkhead.config.json';

/** The configuration that was named, or the one that lies here, or none. Its paths become absolute. */
export async function readConfigFile(
  { config }: Pick<EngineSettings, 'config'>,
  { readFile }: Pick<CliPowers, 'readFile'>,
): Promise<ConfigFile> {
  const file = config ?? DEFAULT_FILE;
  let text: string;
  try {
    text = await readFile(file);
  } catch (error) {
    if (config === undefined) return {};
    const why = error instanceof Error ? error.message : String(error);
    throw usageError('--config', `--config cannot read ${file}: ${why}`);
  }
  const read = parseConfig(text, file);
  const base = dirname(resolve(file));
  const { keyFile } = read.identity ?? {};
  const { storageDirectory, rules, lockFile, audit, credentials } = read;
  return {
    ...read,
    ...(credentials === undefined ? {} : { credentials: filesBelow(base, credentials) }),
    ...absolute(base, { storageDirectory, rules, lockFile, audit }),
    plugins: (read.plugins ?? []).map((path) => resolve(base, path)),
    ...(keyFile === undefined
      ? {}
      : { identity: { ...read.identity, keyFile: resolve(base, keyFile) } }),
  };
}

/** `@FILE` of a configuration is relative to it, too. */
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

/** Paths of a configuration are relative to it. */
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

/** Who we are to servers that ask for a token. `url` gives our own URL, once it is known. */
export async function readIdentity(
  { identity = {} }: ConfigFile,
  url: () => string,
  { readFile }: Pick<CliPowers, 'readFile'>,
): Promise<NonNullable<EngineOptions['identity']>> {
  const { keyFile, issuer = url, ...rest } = identity;
  if (keyFile === undefined) return { ...rest, issuer };
  const key = await readJsonObject(`@${keyFile}`, 'identity.keyFile', {
    readFile,
    stdin: nothing(),
  });
  return { ...rest, issuer, key };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The engine that is served. Naming a directory is the grant, unless the configuration says else. */
export function engineOptionsFor(
  settings: EngineSettings,
  file: ConfigFile,
  logger: Logger,
  powers: Omit<CliPowers, 'createEngine'>,
): EngineOptions {
  const plugins = [...(settings.plugins ?? []), ...(file.plugins ?? [])];
  const remotes = (file.remotes ?? []).map((one) => fillIn(one, powers.environment));
  const locked = settings.lock ?? file.lockFile;
  if (plugins.length === 0 && remotes.length === 0 && locked === undefined) {
    throw usageError('--plugins', 'there is nothing to serve: name plugins with --plugins DIR');
  }
  // Whoever serves sits at no terminal: approval is given beforehand, or by who calls.
  const approve = chooseApprover(settings.yes ?? false, {});
  return {
    plugins,
    grant: file.grant ?? grantOf(settings.allow),
    config: file.config ?? {},
    env: { ...powers.environment, ...settings.env },
    secrets: whereDeclared(settings.secret ?? {}),
    ...credentialsFrom(credentialPlaces(settings, file), powers),
    hostMode: [...(settings.allowHost ?? []), ...(file.hostMode ?? [])],
    background: file.background ?? [],
    network: { overrides: [...(settings.hostOverride ?? []), ...(file.overrides ?? [])] },
    limits: file.limits ?? {},
    remotes,
    ...(file.trustHints === undefined ? {} : { trustHints: file.trustHints }),
    ...(file.tolerance === undefined ? {} : { tolerance: file.tolerance }),
    ...consentOptions({ ...(file.rules && { rules: file.rules }), ...settings }, powers),
    ...lockAndAudit(settings, file),
    ...(file.storageDirectory === undefined ? {} : { storageDirectory: file.storageDirectory }),
    logger,
    ...(approve === undefined ? {} : { approve }),
  };
}

/** The command line's, and those of the configuration. */
function credentialPlaces(
  { credential }: EngineSettings,
  { credentials }: ConfigFile,
): CredentialPlaces | undefined {
  if (credential === undefined && credentials === undefined) return undefined;
  const configured = Object.entries(credentials ?? {}).map(
    ([name, text]) => [name, placeOf(text, 'credentials')] as const,
  );
  return { ...Object.fromEntries(configured), ...credential };
}

function lockAndAudit(
  settings: EngineSettings,
  file: ConfigFile,
): Pick<EngineOptions, 'lockFile' | 'audit'> {
  const lockFile = settings.lock ?? file.lockFile;
  const audit = settings.audit ?? file.audit;
  return {
    ...(lockFile === undefined ? {} : { lockFile }),
    ...(audit === undefined ? {} : { audit: { file: audit } }),
  };
}

/** What is served, and where. The command line wins over the configuration. */
export function serverOptionsFor(
  settings: ServeSettings,
  file: ConfigFile,
  { environment }: Pick<CliPowers, 'environment'>,
): ServerOptions {
  const { server = {}, tokens = {} } = file;
  const token = settings.token ?? environment['BULKHEAD_TOKEN'] ?? server.token;
  const publicUrl = settings.publicUrl ?? server.publicUrl;
  const host = settings.host ?? server.host;
  const port = settings.port ?? server.port;
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(token === undefined ? {} : { token }),
    ...(server.limits === undefined ? {} : { limits: server.limits }),
    vertesia: {
      ...file.vertesia,
      path: pathOf('--vertesia', settings.vertesia ?? file.vertesia?.path ?? '/tools'),
    },
    ...(settings.mcp === undefined && file.mcp === undefined
      ? {}
      : { mcp: { ...file.mcp, path: pathOf('--mcp', settings.mcp ?? file.mcp?.path ?? '/mcp') } }),
    tokens: {
      jwks: [...(settings.jwks ?? []), ...(tokens.issuers ?? [])],
      audience: [...(settings.audience ?? []), ...(tokens.audience ?? [])],
      organizations: [...(settings.organization ?? []), ...(tokens.organizations ?? [])],
      network: { overrides: [...(settings.hostOverride ?? []), ...(file.overrides ?? [])] },
    },
  };
}

function pathOf(option: string, path: string): string {
  if (/^\/[\w\-./]*$/.test(path)) return path;
  throw usageError(option, `${option} takes a path, as in /tools, not ${path}`);
}
