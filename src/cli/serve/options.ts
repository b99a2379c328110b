import type { Command } from 'commander';
import type { EngineOptions, Logger } from '../../engine/types/options.js';
import type { ConfigFile } from '../../http/config.js';
import type { Credentials } from '../../http/credentials.js';
import type { ServerOptions } from '../../http/server.js';
import { chooseApprover } from '../approve.js';
import { collect } from '../arguments.js';
import type { CliCapabilities } from '../capabilities.js';
import {
  type EngineSettings,
  addEngineOptions,
  approvalOptions,
  auditOf,
  trustOption,
} from '../engine-options.js';
import { usageError } from '../failure.js';
import { memoryLimit } from '../memory-option.js';
import { packagesOption } from '../package-options.js';
import { grantOf } from '../permission-choice.js';
import {
  type CredentialPlaces,
  credentialPlaceOf,
  credentialsFrom,
  declaredSecrets,
} from '../secrets.js';
import { fillIn } from './config-file.js';

/** Milliseconds that a server waits for remotes before it serves. Their tools are added when they answer. */
export const REMOTES_WAIT_MS = 1_000;

/** The options of the plugins that are served. */
export interface ServedSettings extends EngineSettings {
  readonly plugins?: readonly string[];
  /** Whether there is the operator's page. It needs no plugins: it shows what the storage directory has. */
  readonly console?: boolean;
  /** The configuration file. */
  readonly config?: string;
}

/** The options of `bulkhead serve`. */
export interface ServeSettings extends ServedSettings {
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  readonly token?: string;
  readonly viewToken?: string;
  readonly answerToken?: string;
  readonly adminToken?: string;
  readonly openLoopback?: boolean;
  readonly vertesia?: string;
  readonly mcp?: string;
  readonly jwks?: readonly PinnedIssuer[];
  readonly audience?: readonly string[];
  readonly organization?: readonly string[];
  readonly approvals?: boolean;
  readonly json?: boolean;
  readonly metrics?: HostAndPort;
  readonly checkConfig?: boolean;
}

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

interface PinnedIssuer {
  readonly issuer: string;
  readonly jwks?: string;
}

const DEFAULT_CONFIG = 'configuration file (default: bulkhead.config.json, if it exists)';

export function addServedOptions(command: Command, config: string = DEFAULT_CONFIG): Command {
  return addEngineOptions(command)
    .option('--plugins <DIR...>', 'directories of plugins, or directories that contain them')
    .option('--config <FILE>', config)
    .option('--yes', 'approve every call that requires approval');
}

export function addServeOptions(command: Command): Command {
  return addServedOptions(command)
    .option('--host <ADDRESS>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <N>', 'port to listen on; 0 picks a free port (default: 4173)', parsePort)
    .option(
      '--public-url <URL>',
      'URL under which clients reach this server (default: its own address)',
    )
    .option(
      '--token <TEXT>',
      'token of MCP clients, of at least 16 characters (default: BULKHEAD_TOKEN, else a new random one)',
    )
    .option(
      '--view-token <TEXT>',
      'token to read plugins, approvals and metrics (default: BULKHEAD_VIEW_TOKEN, else a new random one)',
    )
    .option(
      '--answer-token <TEXT>',
      'token to answer approvals (default: BULKHEAD_ANSWER_TOKEN, else a new random one)',
    )
    .option(
      '--admin-token <TEXT>',
      'token to switch plugins in the console (default: BULKHEAD_ADMIN_TOKEN, else a new random one)',
    )
    .option(
      '--open-loopback',
      'let every process of this machine call and view without a token; only on a loopback address',
    )
    .option('--vertesia <PATH>', 'path of the Vertesia tool server (default: /tools)')
    .option('--mcp <PATH>', 'path of the MCP server, e.g. /mcp (default: no MCP server)')
    .option(
      '--jwks <ISSUER=URL>',
      "accept tokens of this issuer, with the keys at this URL (default URL: Vertesia's); repeatable",
      collectIssuer,
    )
    .option(
      '--audience <TEXT>',
      'accept only tokens for this audience; repeatable (default: any audience)',
      collect,
    )
    .option(
      '--organization <ID>',
      'accept only calls of this account; repeatable (default: every account)',
      collect,
    )
    .option(
      '--approvals',
      'queue calls that require approval until the operator answers with `bulkhead approvals`',
    )
    .option(
      '--console',
      "serve the operator's page under /console, and queue calls that require approval for it",
    )
    .option(
      '--metrics <HOST:PORT>',
      'serve Prometheus metrics at this address, under /metrics (default: none)',
      parseHostAndPort,
    )
    .option('--json', 'print one line of JSON when the server is ready: {"url": …}')
    .option(
      '--check-config',
      'check the configuration and the plugins, open no port, and exit with 1 if any of them fails',
    );
}

/** `--metrics`. Throws `INVALID_OPTIONS`. */
export function parseHostAndPort(text: string): HostAndPort {
  const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(text) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw usageError('--metrics', `--metrics takes HOST:PORT such as 127.0.0.1:9464, not ${text}`);
  }
  return { host, port: Number(port) };
}

/** `--port`. Throws `INVALID_OPTIONS`. */
export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw usageError('--port', `--port takes a number from 0 to 65535, not ${text}`);
  }
  return port;
}

function collectIssuer(text: string, before: readonly PinnedIssuer[] = []): PinnedIssuer[] {
  const [, issuer, jwks] = /^(.+?)(?:=(https?:\/\/.+))?$/.exec(text) ?? [];
  if (issuer === undefined || issuer.endsWith('=')) {
    throw usageError('--jwks', `--jwks takes ISSUER=URL, not ${JSON.stringify(text)}`);
  }
  return [...before, jwks === undefined ? { issuer } : { issuer, jwks }];
}

/**
 * Drops plugin directories that do not exist. A server runs without them: it warns at its start, and
 * finds them at SIGHUP. A directory's name may end with `/*`.
 */
export async function dropMissing(
  options: EngineOptions,
  { listDirectory }: Pick<CliCapabilities, 'listDirectory'>,
): Promise<EngineOptions> {
  const found = options.plugins.map(async (path) => {
    const entries = await listDirectory(path.replace(/\/\*$/, '')).catch(() => undefined);
    return entries === undefined ? [] : [path];
  });
  return { ...options, plugins: (await Promise.all(found)).flat() };
}

/** The engine's options. Naming a directory grants what its plugins declare, unless the configuration has `grant`. */
export function engineOptionsFor(
  settings: ServedSettings,
  file: ConfigFile,
  logger: Logger,
  capabilities: Omit<CliCapabilities, 'createEngine'>,
): EngineOptions {
  const plugins = [...(settings.plugins ?? []), ...(file.plugins ?? [])];
  const remotes = (file.remotes ?? []).map((one) => fillIn(one, capabilities.environment));
  const locked = settings.lock ?? file.lockFile;
  const isEmpty = plugins.length === 0 && remotes.length === 0 && locked === undefined;
  if (isEmpty && settings.console !== true) {
    throw usageError('--plugins', 'there is nothing to serve; name plugins with --plugins DIR');
  }
  // A server has no terminal: `--yes` approves in advance, or the caller approves.
  const approve = chooseApprover(settings.yes ?? false, { operator: capabilities.operator });
  return {
    plugins,
    grant: file.grant ?? grantOf(settings),
    config: file.config ?? {},
    env: { ...capabilities.environment, ...settings.env },
    secrets: declaredSecrets(settings.secret ?? {}),
    ...credentialsFrom(credentialPlaces(settings, file), capabilities),
    hostMode: [...(settings.allowHost ?? []), ...(file.hostMode ?? [])],
    background: file.background ?? [],
    idempotent: file.idempotent ?? [],
    record: file.record ?? [],
    replicas: file.replicas ?? {},
    isolation: file.isolation ?? {},
    trustGroups: file.trustGroups ?? {},
    network: { overrides: [...(settings.hostOverride ?? []), ...(file.overrides ?? [])] },
    limits: { ...file.limits, ...memoryLimit(settings) },
    remotes,
    ...timeZoneOf(settings.timeZone ?? file.timeZone),
    ...(file.trustHints === undefined ? {} : { trustHints: file.trustHints }),
    ...(file.tolerance === undefined ? {} : { tolerance: file.tolerance }),
    ...approvalOptions({ ...(file.rules && { rules: file.rules }), ...settings }, capabilities),
    ...packagesOf(settings, file, locked !== undefined),
    packageBuilds: file.packageBuilds ?? {},
    ...lockAndAudit(settings, file, capabilities),
    ...(file.storageDirectory === undefined ? {} : { storageDirectory: file.storageDirectory }),
    logger,
    ...(approve === undefined ? {} : { approve }),
  };
}

function timeZoneOf(timeZone: string | undefined): Pick<EngineOptions, 'timeZone'> {
  return timeZone === undefined ? {} : { timeZone };
}

/** The packages of the configuration and of the command line, which decides about plugins that are not named. */
function packagesOf(
  settings: ServedSettings,
  { packages: configured }: ConfigFile,
  locked: boolean,
): Pick<EngineOptions, 'packages'> {
  const { packages } = packagesOption(settings, locked);
  return packages === undefined && configured === undefined
    ? {}
    : { packages: { ...configured, ...packages } };
}

/** The credentials of the configuration and of the command line, which wins. */
function credentialPlaces(
  { credential }: ServedSettings,
  { credentials }: ConfigFile,
): CredentialPlaces | undefined {
  if (credential === undefined && credentials === undefined) return undefined;
  const configured = Object.entries(credentials ?? {}).map(
    ([name, text]) => [name, credentialPlaceOf(text, 'credentials')] as const,
  );
  return { ...Object.fromEntries(configured), ...credential };
}

function lockAndAudit(
  settings: ServedSettings,
  file: ConfigFile,
  capabilities: Pick<CliCapabilities, 'environment'>,
): Pick<EngineOptions, 'lockFile' | 'trustFile' | 'audit'> {
  const lockFile = settings.lock ?? file.lockFile;
  const { audit } = auditOf(settings, file.audit);
  return {
    ...(lockFile === undefined ? {} : { lockFile, ...trustOption(settings, capabilities) }),
    ...(audit === undefined ? {} : { audit }),
  };
}

/** The server's options. The command line wins over the configuration. */
export function serverOptionsFor(
  settings: ServeSettings,
  file: ConfigFile,
  { environment }: Pick<CliCapabilities, 'environment'>,
): ServerOptions {
  const { server = {}, tokens = {} } = file;
  const openLoopback = settings.openLoopback ?? server.openLoopback ?? false;
  const publicUrl = settings.publicUrl ?? server.publicUrl;
  const host = settings.host ?? server.host;
  const port = settings.port ?? server.port;
  return {
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    credentials: chosenCredentials(settings, file, environment),
    ...(openLoopback ? { openLoopback } : {}),
    ...(server.limits === undefined ? {} : { limits: server.limits }),
    ...(file.notices === undefined ? {} : { notices: noticesOf(file.notices, environment) }),
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

function noticesOf(
  notices: NonNullable<ConfigFile['notices']>,
  environment: CliCapabilities['environment'],
): NonNullable<ServerOptions['notices']> {
  return notices.map(({ url, secret: source }) => {
    const name = source.replace(/^env:/, '');
    const secret = environment[name];
    if (secret !== undefined && secret !== '') return { url, secret };
    throw usageError('--config', `notices needs the variable ${name}, which is not set`);
  });
}

/** The tokens that the operator chose. The command line wins over the environment and the configuration. */
export function chosenCredentials(
  settings: Pick<ServeSettings, 'token' | 'viewToken' | 'answerToken' | 'adminToken'>,
  { server = {} }: ConfigFile,
  environment: CliCapabilities['environment'],
): Partial<Credentials> {
  const call = firstSet(settings.token, environment['BULKHEAD_TOKEN'], server.token);
  const view = firstSet(settings.viewToken, environment['BULKHEAD_VIEW_TOKEN'], server.viewToken);
  const answer = firstSet(
    settings.answerToken,
    environment['BULKHEAD_ANSWER_TOKEN'],
    server.answerToken,
  );
  const administer = firstSet(
    settings.adminToken,
    environment['BULKHEAD_ADMIN_TOKEN'],
    server.adminToken,
  );
  return {
    ...(call === undefined ? {} : { call }),
    ...(view === undefined ? {} : { view }),
    ...(answer === undefined ? {} : { answer }),
    ...(administer === undefined ? {} : { administer }),
  };
}

/** An empty text is not set: a script may pass an unset variable. */
function firstSet(...texts: readonly (string | undefined)[]): string | undefined {
  // guard: empty-token-is-unset
  return texts.find((text) => text !== undefined && text !== '');
}

function pathOf(option: string, path: string): string {
  // Clients resolve the segments `.` and `..` before they send a request.
  const isPlain = /^\/[\w\-./]*$/.test(path) && !/\/(?:\.{1,2}(?:\/|$)|\/)/.test(path);
  if (isPlain) return path;
  throw usageError(option, `${option} takes a path such as /tools, not ${path}`);
}
