import { dirname, resolve } from 'node:path';
import { type ConfigFile } from '../../http/config-file.js';
import { parseConfig } from '../../http/config.js';
import type { ServerOptions } from '../../http/server.js';
import type { EngineOptions, Logger } from '../../index.js';
import { chooseApprover } from '../approve.js';
import { readJsonObject } from '../arguments.js';
import { consentOptions } from '../consent.js';
import { usageError } from '../failure.js';
import type { CliPowers } from '../powers.js';
import { whereDeclared } from '../secrets.js';
import { fillIn } from './fill-in.js';
import type { EngineSettings, ServeSettings } from './settings.js';

const DEFAULT_FILE = 'bulkhead.config.json';

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
  return {
    ...read,
    plugins: (read.plugins ?? []).map((path) => resolve(base, path)),
    ...(read.storageDirectory === undefined
      ? {}
      : { storageDirectory: resolve(base, read.storageDirectory) }),
    ...(keyFile === undefined
      ? {}
      : { identity: { ...read.identity, keyFile: resolve(base, keyFile) } }),
  };
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
  if (plugins.length === 0 && remotes.length === 0) {
    throw usageError('--plugins', 'there is nothing to serve: name plugins with --plugins DIR');
  }
  // Whoever serves sits at no terminal: approval is given beforehand, or by who calls.
  const approve = chooseApprover(settings.yes ?? false, {});
  return {
    plugins,
    grant: file.grant ?? 'declared',
    config: file.config ?? {},
    env: { ...powers.environment, ...settings.env },
    secrets: whereDeclared(settings.secret ?? {}),
    hostMode: [...(settings.allowHost ?? []), ...(file.hostMode ?? [])],
    background: file.background ?? [],
    network: { overrides: [...(settings.hostOverride ?? []), ...(file.overrides ?? [])] },
    limits: file.limits ?? {},
    remotes,
    ...(file.storageDirectory === undefined ? {} : { storageDirectory: file.storageDirectory }),
    logger,
    ...consentOptions(settings, powers),
    ...(settings.lock === undefined ? {} : { lockFile: settings.lock }),
    ...(settings.audit === undefined ? {} : { audit: { file: settings.audit } }),
    ...(approve === undefined ? {} : { approve }),
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
