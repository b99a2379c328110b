import type { Command } from 'commander';
import { join } from 'node:path';
import type { EffectMode, Tolerance } from '../approval/policy.js';
import type { EngineOptions, Logger, PluginSecrets } from '../engine/types/options.js';
import type { AnchorTarget } from '../audit/disk/anchor-targets.js';
import { visible } from '../visible.js';
import { chooseApprover } from './approve.js';
import {
  type HostOverride,
  collect,
  collectOverride,
  collectVariable,
  readConfig,
} from './arguments.js';
import type { CliCapabilities, TextSink } from './capabilities.js';
import { usageError } from './failure.js';
import { addMemoryOption, memoryLimit, type MemorySettings } from './memory-option.js';
import { lockedPlugins, placeOfPlugin } from './named-plugins.js';
import { addPackageOptions, type PackageSettings, packagesOption } from './package-options.js';
import { optionWithValues } from './completion/with-values.js';
import { addPermissionOptions, grantOf } from './permission-choice.js';
import { collectPower, type LentPower, readPowerModules } from './power-modules.js';
import {
  type CredentialPlaces,
  collectCredential,
  collectSecret,
  credentialsFrom,
} from './secrets.js';

/** The options that decide what plugins get, for every command that runs plugins. */
export interface EngineSettings extends ApprovalSettings, PackageSettings, MemorySettings {
  /** The lock file that says which plugins run, and with what. */
  readonly lock?: string;
  /** The file of required and revoked keys. */
  readonly trust?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly secret?: PluginSecrets;
  readonly credential?: CredentialPlaces;
  readonly hostOverride?: readonly HostOverride[];
  readonly allowHost?: readonly string[];
  /** Permissions, as `choosePermissions` takes them. */
  readonly allow?: readonly string[];
  readonly only?: readonly string[];
  readonly power?: readonly LentPower[];
  readonly timeZone?: string;
  readonly yes?: boolean;
  /** The audit log to write. */
  readonly audit?: string;
  readonly auditKey?: string;
  readonly auditAnchor?: readonly AnchorTarget[];
}

/** The same for a command that runs plugins by their directories. */
export interface PluginSettings extends EngineSettings {
  /** The plugin's configuration as written: JSON or `@file`. */
  readonly config?: string;
  readonly json?: boolean;
}

export function addEngineOptions(command: Command): Command {
  const common = addPermissionOptions(addPackageOptions(addApprovalOptions(command)));
  return addMemoryOption(common, 'plugin')
    .option(
      '--lock <FILE>',
      'run only the plugins of this lock file, as they were accepted (default: none)',
    )
    .option('--trust <FILE>', `file of required and revoked keys, for --lock (${TRUST_PLACE})`)
    .option(
      '--env <NAME=VALUE>',
      'set an environment variable for plugins that are granted it; repeatable',
      collectVariable,
    )
    .option(
      '--secret <KEY=HOST>',
      'hide the value of a variable from the plugin; insert it into the header or query of requests to this host (KEY=header:NAME@HOST: only there); repeatable',
      collectSecret,
    )
    .option(
      '--credential <PLUGIN/KEY=PLACE>',
      'source of a credential of a plugin: env:NAME or @FILE; repeatable',
      collectCredential,
    )
    .option(
      '--host-override <HOST=URL>',
      'send requests for this host to this URL instead; repeatable',
      collectOverride,
    )
    .option(
      '--audit <FILE>',
      'write an audit log to this file: .jsonl, or .db for SQLite (default: none)',
    )
    .option(
      '--audit-key <FILE>',
      'sign the audit log with this private key, as `bulkhead keys new sign` creates it (default: none)',
    )
    .option(
      '--audit-anchor <PLACE>',
      'send anchors of the audit log to this file, https URL or syslog://HOST:PORT; repeatable (default: none)',
      collectAnchor,
    )
    .option(
      '--power <NAME=MODULE>',
      'lend the plugins this power: the default export of a module of yours, which runs without a sandbox; repeatable',
      collectPower,
    )
    .option(
      '--time-zone <NAME>',
      "time zone of plugins with the time permission, e.g. Europe/Berlin (default: the host's)",
    )
    .option(
      '--allow-host <ID>',
      'allow this plugin to run without a sandbox if it requests that; repeatable',
      collect,
    );
}

export function addPluginOptions(command: Command): Command {
  return addEngineOptions(command).option(
    '--config <JSON>',
    'configuration of the plugin: a JSON object, or @file (default: none)',
  );
}

/** The directories that exist. The command reports the others, and runs the rest. */
async function existing(
  directories: readonly string[],
  { listDirectory }: Pick<CliCapabilities, 'listDirectory'>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    directories.map(async (path) => {
      try {
        await listDirectory(path.endsWith('/*') ? path.slice(0, -2) : path);
        return [path];
      } catch (error) {
        const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
        return code === 'ENOENT' || code === 'ENOTDIR' ? [] : [path];
      }
    }),
  );
  return found.flat();
}

/**
 * The engine's options for plugins that the operator named: naming a directory grants what the plugin
 * declares. The pool is empty, because one command rarely needs a second guest.
 */
export async function engineOptions(
  directories: readonly string[],
  settings: PluginSettings,
  capabilities: Omit<CliCapabilities, 'createEngine'>,
): Promise<EngineOptions> {
  const config =
    settings.config === undefined ? undefined : await readConfig(settings.config, capabilities);
  const places = await Promise.all(
    directories.map((named) => placeOfPlugin(named, settings, capabilities)),
  );
  const approve = chooseApprover(settings.yes ?? false, capabilities);
  const warn = (sentence: string): void => void capabilities.stderr.write(`warning  ${sentence}\n`);
  return {
    plugins: await existing(places, capabilities),
    grant: grantOf(settings, directories.length === 1 ? warn : undefined),
    powers: await readPowerModules(settings.power, capabilities),
    ...(settings.timeZone === undefined ? {} : { timeZone: settings.timeZone }),
    env: { ...capabilities.environment, ...settings.env },
    // The engine reports a name that the plugin does not declare.
    secrets: () => settings.secret ?? {},
    ...credentialsFrom(settings.credential, capabilities),
    hostMode: settings.allowHost ?? [],
    ...packagesOption(settings, settings.lock !== undefined),
    network: { overrides: settings.hostOverride ?? [] },
    // The operator makes each call on purpose, so a crash never quarantines the plugin.
    limits: { pool: 0, maxCrashes: 1_000_000, ...memoryLimit(settings) },
    logger: makePluginLog(capabilities.stderr),
    ...approvalOptions(settings, capabilities),
    ...(settings.lock === undefined
      ? {}
      : {
          lockFile: settings.lock,
          ...(await lockedPlugins(places, settings.lock, capabilities)),
          ...trustOption(settings, capabilities),
        }),
    ...auditOf(settings, undefined),
    ...(config === undefined ? {} : { config: () => config }),
    ...(approve === undefined ? {} : { approve }),
  };
}

/** The audit log of the command line, which wins over the configuration. */
export function auditOf(
  {
    audit: file,
    auditKey,
    auditAnchor,
  }: Pick<EngineSettings, 'audit' | 'auditKey' | 'auditAnchor'>,
  configured: EngineOptions['audit'],
): Pick<EngineOptions, 'audit'> {
  const audit = file === undefined ? configured : { ...configured, file };
  if (audit === undefined) {
    const option = auditKey === undefined ? '--audit-anchor' : '--audit-key';
    if (auditKey === undefined && auditAnchor === undefined) return {};
    throw usageError(option, `${option} needs the audit log that it protects; add --audit FILE`);
  }
  return {
    audit: {
      ...audit,
      ...(auditKey === undefined ? {} : { signKey: auditKey }),
      ...(auditAnchor === undefined ? {} : { anchors: auditAnchor }),
    },
  };
}

function collectAnchor(text: string, before: readonly AnchorTarget[] = []): AnchorTarget[] {
  return [...before, anchorTargetOf(text)];
}

function anchorTargetOf(text: string): AnchorTarget {
  if (/^https?:/i.test(text)) return { url: text };
  return /^syslog(?:\+tcp)?:/i.test(text) ? { syslog: text } : { file: text };
}

/** The options that decide which calls run without asking. */
export interface ApprovalSettings {
  readonly tolerance?: Tolerance;
  readonly trustHints?: readonly string[];
  readonly rules?: string;
  readonly effects?: EffectMode;
}

/** The engine's option `trustFile`. */
export function trustOption(
  settings: { readonly trust?: string },
  capabilities: Pick<CliCapabilities, 'environment'>,
): Pick<EngineOptions, 'trustFile'> {
  const trustFile = trustFileOf(settings, capabilities);
  return trustFile === undefined ? {} : { trustFile };
}

/** The default file of rules, as help texts show it. */
export const RULES_PLACE = 'default: bulkhead/rules.json in your configuration directory';

/**
 * The file of rules; `undefined` without a home directory. It is never in the working directory: that
 * may be a plugin's directory, which could bring rules that allow what the plugin wants.
 */
export function rulesFileOf(
  { rules }: Pick<ApprovalSettings, 'rules'>,
  { environment }: Pick<CliCapabilities, 'environment'>,
): string | undefined {
  if (rules !== undefined) return rules;
  const directory = configDirectoryOf({ environment });
  return directory === undefined ? undefined : join(directory, 'rules.json');
}

/** The file of required and revoked keys, as help texts show its default. */
export const TRUST_PLACE = 'default: bulkhead/trust.json in your configuration directory';

/** The file of required and revoked keys; `undefined` without a home directory. */
export function trustFileOf(
  { trust }: { readonly trust?: string },
  capabilities: Pick<CliCapabilities, 'environment'>,
): string | undefined {
  if (trust !== undefined) return trust;
  const directory = configDirectoryOf(capabilities);
  return directory === undefined ? undefined : join(directory, 'trust.json');
}

/** The operator's configuration directory; `undefined` without a home directory. */
export function configDirectoryOf({
  environment,
}: Pick<CliCapabilities, 'environment'>): string | undefined {
  const { XDG_CONFIG_HOME: configured = '', HOME: home = '' } = environment;
  if (configured === '' && home === '') return undefined;
  return join(configured === '' ? join(home, '.config') : configured, 'bulkhead');
}

export function addApprovalOptions(command: Command): Command {
  return command
    .addOption(
      optionWithValues(
        '--tolerance <LEVEL>',
        'risk that runs without approval: strict, default, relaxed or full (default: as the plugin format defines)',
        TOLERANCES,
      ).argParser(parseTolerance),
    )
    .option(
      '--trust-hints <ID>',
      "let the author's hints lower the risk of this plugin's tools; repeatable",
      collect,
    )
    .addOption(
      optionWithValues(
        '--effects <MODE>',
        'writes by tools that declare that they only read: ask, audit or off (default: ask, or audit without an approver)',
        EFFECTS,
      ).argParser(parseEffects),
    )
    .option(
      '--rules <FILE>',
      `file of rules that allow or deny calls without asking (${RULES_PLACE})`,
    );
}

export function approvalOptions(
  settings: ApprovalSettings,
  capabilities: Pick<CliCapabilities, 'environment'>,
): Partial<EngineOptions> {
  const { tolerance, trustHints, effects } = settings;
  const rules = rulesFileOf(settings, capabilities);
  return {
    ...(rules === undefined ? {} : { rules }),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...(trustHints === undefined ? {} : { trustHints }),
    ...(effects === undefined ? {} : { effects }),
  };
}

const TOLERANCES: readonly Tolerance[] = ['strict', 'default', 'relaxed', 'full'];
const EFFECTS: readonly EffectMode[] = ['ask', 'audit', 'off'];

function parseTolerance(text: string): Tolerance {
  return oneOf(TOLERANCES, '--tolerance', text);
}

function parseEffects(text: string): EffectMode {
  return oneOf(EFFECTS, '--effects', text);
}

function oneOf<Word extends string>(words: readonly Word[], option: string, text: string): Word {
  const word = words.find((one) => one === text);
  if (word !== undefined) return word;
  throw usageError(option, `${option} takes one of ${words.join(', ')}, not ${text}`);
}

/**
 * Prints the log of plugins on standard error. Warnings of the engine are left out: the command
 * reports each of them as a failure. `withErrors`: whether errors of the engine are printed.
 */
export function makePluginLog(stderr: TextSink, withErrors = true): Logger {
  const show =
    (level: string) =>
    (fields: object, message: string): void => {
      const source = 'source' in fields ? fields.source : undefined;
      if (source === 'options') {
        void stderr.write(`warning  ${visible(message)}\n`);
        return;
      }
      const ofPlugin = source === 'plugin' && 'plugin' in fields;
      if (!ofPlugin && (level !== 'error' || !withErrors)) return;
      const tag = ofPlugin ? visible(String(fields.plugin)) : 'bulkhead';
      void stderr.write(`[${tag}] ${level === 'info' ? '' : `${level}: `}${visible(message)}\n`);
    };
  // Plugins use debug for ordinary log lines.
  return { debug: show('info'), info: show('info'), warn: show('warn'), error: show('error') };
}

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
};
