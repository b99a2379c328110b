import type { Command } from 'commander';
import { collect, collectOverride, collectVariable, type HostOverride } from '../arguments.js';
import { addConsentOptions, type ConsentSettings } from '../consent.js';
import { collectCredential, type CredentialPlaces } from '../credentials.js';
import { usageError } from '../failure.js';
import { collectSecret } from '../secrets.js';
import type { PluginSecrets } from '../../index.js';

/** What is said of the plugins that are served. */
export interface EngineSettings extends ConsentSettings {
  readonly plugins?: readonly string[];
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly secret?: PluginSecrets;
  readonly credential?: CredentialPlaces;
  readonly hostOverride?: readonly HostOverride[];
  readonly allow?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly lock?: string;
  readonly audit?: string;
  readonly yes?: boolean;
}

/** What `bulkhead serve` is told on its command line. */
export interface ServeSettings extends EngineSettings {
  readonly host?: string;
  readonly port?: number;
  readonly publicUrl?: string;
  readonly token?: string;
  readonly vertesia?: string;
  readonly mcp?: string;
  readonly jwks?: readonly PinnedIssuer[];
  readonly audience?: readonly string[];
  readonly organization?: readonly string[];
  readonly approvals?: boolean;
  readonly json?: boolean;
  readonly metrics?: HostAndPort;
}

interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

interface PinnedIssuer {
  readonly issuer: string;
  readonly jwks?: string;
}

const USUAL_CONFIG = 'a configuration (default: bulkhead.config.json, where there is one)';

export function addEngineOptions(command: Command, config: string = USUAL_CONFIG): Command {
  return addConsentOptions(command)
    .option('--plugins <DIR...>', 'directories of plugins, or of directories of plugins')
    .option('--config <FILE>', config)
    .option('--env <NAME=VALUE>', 'set a variable that plugins may be granted', collectVariable)
    .option('--secret <KEY=HOST>', 'keep a variable out of the plugins', collectSecret)
    .option(
      '--credential <PLUGIN/KEY=PLACE>',
      'where a credential is that a plugin needs: env:NAME, a variable, or @FILE',
      collectCredential,
    )
    .option('--host-override <HOST=URL>', 'serve a host of the plugins from there', collectOverride)
    .option(
      '--allow <PERMISSION>',
      'give plugins that declare no permissions this one, e.g. time or network:api.example.com',
      collect,
    )
    .option('--allow-host <ID>', 'let that plugin run unconfined, if it asks to', collect)
    .option(
      '--lock <FILE>',
      'run the plugins of that lock file as they were accepted, and no other',
    )
    .option('--audit <FILE>', 'write what happens into that audit log (.jsonl, or .db for SQLite)')
    .option('--yes', 'approve what would ask');
}

export function addServeOptions(command: Command): Command {
  return addEngineOptions(command)
    .option('--host <ADDRESS>', 'the address to listen on (default: 127.0.0.1)')
    .option(
      '--port <N>',
      'the port to listen on, 0 for one that is free (default: 4173)',
      parsePort,
    )
    .option('--public-url <URL>', 'the URL by which others reach this server')
    .option('--token <TEXT>', "the operator's token (default: BULKHEAD_TOKEN, or a new one)")
    .option('--vertesia <PATH>', 'serve the tools there, as a custom tool server of Vertesia')
    .option('--mcp <PATH>', "serve the tools there to MCP's clients")
    .option(
      '--jwks <ISSUER=URL>',
      'believe tokens of that issuer, by the keys at that URL (ISSUER alone: where Vertesia has them)',
      collectIssuer,
    )
    .option('--audience <TEXT>', 'believe only tokens that were made for that audience', collect)
    .option('--organization <ID>', 'let only that account call', collect)
    .option(
      '--approvals',
      'let what asks wait for the operator, who answers with `bulkhead approvals`',
    )
    .option(
      '--metrics <HOST:PORT>',
      'serve metrics for Prometheus there, at /metrics',
      parseHostAndPort,
    )
    .option('--json', 'print one line of JSON once connections are taken: {"url": …}');
}

function parseHostAndPort(text: string): HostAndPort {
  const [, host, port] = /^\[?(.+?)\]?:(\d+)$/.exec(text) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw usageError('--metrics', `--metrics takes HOST:PORT, as in 127.0.0.1:9464, not ${text}`);
  }
  return { host, port: Number(port) };
}

function parsePort(text: string): number {
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
