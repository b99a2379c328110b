import type { Command } from 'commander';
import {
  type EngineOptions,
  type GrantPolicy,
  isBulkheadError,
  type Permissions,
  type PluginSecrets,
  readPermissions,
} from '../index.js';
import { chooseApprover } from './approve.js';
import {
  collect,
  collectOverride,
  collectVariable,
  type HostOverride,
  readConfig,
} from './arguments.js';
import { collectCredential, type CredentialPlaces, credentialsFrom } from './credentials.js';
import { usageError } from './failure.js';
import { addConsentOptions, consentOptions, type ConsentSettings } from './consent.js';
import { makePluginLog } from './plugin-log.js';
import type { CliPowers } from './powers.js';
import { collectSecret } from './secrets.js';

/** The options that say what plugins get, the same for every command that runs them. */
export interface PluginSettings extends ConsentSettings {
  /** The lock file that says which plugins run, and with what. */
  readonly lock?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly secret?: PluginSecrets;
  readonly credential?: CredentialPlaces;
  readonly hostOverride?: readonly HostOverride[];
  readonly allowHost?: readonly string[];
  /** Permissions, as `readPermissions` takes them. */
  readonly allow?: readonly string[];
  /** As written: JSON or `@file`. */
  readonly config?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
  /** The audit log to write. */
  readonly audit?: string;
}

export function addPluginOptions(command: Command): Command {
  return addConsentOptions(command)
    .option(
      '--lock <FILE>',
      'run the plugins of that lock file as they were accepted, and no other',
    )
    .option('--env <NAME=VALUE>', 'set a variable that the plugin may be granted', collectVariable)
    .option(
      '--secret <KEY=HOST>',
      'keep a variable out of the plugin: its value is put into requests to that host, in a header or the query (KEY=header:NAME@HOST: in that place alone)',
      collectSecret,
    )
    .option(
      '--credential <PLUGIN/KEY=PLACE>',
      'where a credential is that a plugin needs: env:NAME, a variable, or @FILE',
      collectCredential,
    )
    .option(
      '--host-override <HOST=URL>',
      'serve a host of the plugin from that address',
      collectOverride,
    )
    .option('--config <JSON>', "the plugin's configuration: a JSON object, or @file")
    .option('--audit <FILE>', 'write what happens into that audit log (.jsonl, or .db for SQLite)')
    .option(
      '--allow <PERMISSION>',
      'give a plugin that declares no permissions this one, e.g. time or network:api.example.com',
      collect,
    )
    .option('--allow-host <ID>', 'let that plugin run unconfined, if it asks to', collect);
}

/** What they declare, and what was said by hand for those that have no place to declare it. */
export function grantOf(allow: readonly string[] | undefined): GrantPolicy {
  if (allow === undefined) return 'declared';
  readAllowed(allow, []);
  return ({ entries }) =>
    entries.some(({ undeclared }) => undeclared !== undefined)
      ? readAllowed(
          allow,
          entries.map(({ declared }) => declared),
        )
      : 'declared';
}

function readAllowed(allow: readonly string[], declared: readonly Permissions[]): Permissions {
  try {
    return readPermissions(allow, declared);
  } catch (error) {
    if (isBulkheadError(error, 'INVALID_PERMISSION')) throw usageError('--allow', error.message);
    throw error;
  }
}

/**
 * An engine's options for plugins that were named by hand: they get what they declare, since naming
 * a directory is the grant. No blank guests are kept: one command rarely needs a second one.
 */
export async function engineOptions(
  directories: readonly string[],
  settings: PluginSettings,
  powers: Omit<CliPowers, 'createEngine'>,
): Promise<EngineOptions> {
  const config =
    settings.config === undefined ? undefined : await readConfig(settings.config, powers);
  const approve = chooseApprover(settings.yes ?? false, powers);
  return {
    plugins: directories,
    grant: grantOf(settings.allow),
    env: { ...powers.environment, ...settings.env },
    // A name that the one plugin does not declare is a mistake, and the engine says so.
    secrets: () => settings.secret ?? {},
    ...credentialsFrom(settings.credential, powers),
    hostMode: settings.allowHost ?? [],
    network: { overrides: settings.hostOverride ?? [] },
    // Whoever calls by hand means each call: no plugin is kept from the next for having crashed.
    limits: { pool: 0, maxCrashes: 1_000_000 },
    logger: makePluginLog(powers.stderr),
    ...consentOptions(settings, powers),
    ...(settings.lock === undefined ? {} : { lockFile: settings.lock }),
    ...(settings.audit === undefined ? {} : { audit: { file: settings.audit } }),
    ...(config === undefined ? {} : { config: () => config }),
    ...(approve === undefined ? {} : { approve }),
  };
}
