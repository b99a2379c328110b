import { dirname, resolve } from 'node:path';
import { didYouMean } from '../did-you-mean.js';
import { checkGrant } from './types/check-options.js';
import { checkOptions } from './types/option-forms.js';
import { ENGINE_OPTIONS } from './types/options-table.js';
import { openRuleBook } from '../approval/rule-book.js';
import { type EffectMode, isTolerance, THRESHOLDS } from '../approval/policy.js';
import { checkNetworkOptions } from '../brokers/network/overrides.js';
import type { PowerDefinition } from '../brokers/powers/host-powers.js';
import { readPowers } from '../brokers/powers/host-powers.js';
import { BulkheadError } from '../errors.js';
import { DEFAULT_WALLS, isOptionalWall, OPTIONAL_WALLS } from '../guests/walls/optional.js';
import type { UserRange } from '../guests/walls/plan.js';
import { isWallName } from '../guests/walls/guarantees.js';
import { checkSecrets } from './instance/secrets.js';
import { makeDefaultLogger } from './logger.js';
import { ownCompiler, processDefaults } from './node/process-defaults.js';
import { isDirectory, listDirectories, withoutLinks } from './node/paths.js';
import { openRuleFile } from './node/rule-file.js';
import { readCoreTools } from './plugins/core-tools.js';
import { lockedWith, lockPolicy, openLock } from './plugins/lock.js';
import { readGuestOptions } from './types/guest-options.js';
import { readHookOptions } from './types/hook-options.js';
import { type PackageSettings, readPackageOptions } from './types/package-options.js';
import { type EngineLimits, LONGEST_TIMER_MS, readLimits } from './types/limits.js';
import type { EngineOptions, WallOptions } from './types/options.js';
import type { Settings } from './types/settings.js';

/**
 * Checks the options and fills in the defaults. `withPowers` adds the powers of the plugin systems to
 * the host's. `packages` replaces the option of that name. Throws `INVALID_OPTIONS` with the name of an invalid option.
 */
export function readSettings(
  options: EngineOptions,
  withPowers = (own: readonly PowerDefinition[]): readonly PowerDefinition[] => own,
  packages?: PackageSettings,
): Settings {
  checkOptions(options, ENGINE_OPTIONS, 'createEngine');
  checkGrant(options.grant);
  const around = processDefaults();
  // The types exclude it, and programs without types do it.
  if (!Array.isArray(options.plugins)) {
    throw invalid('plugins', 'a list of directories, e.g. plugins: ["./plugins/*"]');
  }
  const rules = options.rules === undefined ? undefined : openRuleBook(openRuleFile(options.rules));
  // Reads the rules now, so that an unreadable file fails here and not in the first call.
  rules?.list();
  const lock =
    options.lockFile === undefined ? undefined : openLock(options.lockFile, options.trustFile);
  lock?.read();
  lock?.trust();
  const { tolerance } = options;
  if (tolerance !== undefined && !isTolerance(tolerance)) {
    throw invalid('tolerance', `one of ${Object.keys(THRESHOLDS).join(', ')}`);
  }
  checkNetworkOptions(options.network ?? {});
  const walls = readWalls(options.walls ?? {});
  checkInspector(options);
  const given = readLimits(options.limits ?? {});
  const limits = options.inspector === undefined ? given : { ...given, ...PATIENT };
  const env = options.env ?? around.env;
  const secrets = options.secrets ?? {};
  checkSecrets(secrets, env);
  const cacheDirectory = options.cacheDirectory ?? around.cacheDirectory;
  const storageDirectory = resolve(options.storageDirectory ?? around.storageDirectory);
  const enclaveKeyFile = resolve(options.enclaveKeyFile ?? around.enclaveKeyFile);
  return {
    ...options,
    lock,
    grant: lock === undefined ? (options.grant ?? 'nothing') : lockPolicy(lock, options.grant),
    config: options.config ?? {},
    env,
    secrets,
    // A getter, because the lock file may change while the engine runs.
    get hostMode() {
      return [...(options.hostMode ?? []), ...lockedWith(lock, 'unconfined')];
    },
    rules,
    effects: effectsOf(options),
    riskPolicy: options.riskPolicy ?? 'proven',
    get trustHints() {
      return [...(options.trustHints ?? []), ...lockedWith(lock, 'trustHints')];
    },
    ...readGuestOptions(options),
    packages: packages ?? readPackageOptions(options.packages),
    timeZone: readTimeZone(options.timeZone),
    ...readStartTime(options.startTime),
    walls,
    limits,
    network: options.network ?? {},
    hooks: readHookOptions(options.hooks ?? {}),
    hostPowers: readPowers(withPowers(options.powers ?? []), ownCompiler),
    core: readCoreTools({
      tools: options.coreTools ?? [],
      timeoutMs: limits.timeoutMs,
      tolerance,
      compiler: ownCompiler,
    }),
    // A getter, because plugins may be added while the engine runs.
    get closed() {
      return closedPaths(options, cacheDirectory, storageDirectory, enclaveKeyFile);
    },
    cacheDirectory,
    storageDirectory,
    enclaveKeyFile,
    logger: options.logger ?? makeDefaultLogger(),
  };
}

/**
 * Refuses directories of plugins that do not exist. Of `parent/*` the parent has to exist. Throws
 * `INVALID_OPTIONS`.
 */
export function checkDirectories(paths: readonly string[]): void {
  for (const path of paths) {
    const directory = path.endsWith('/*') ? path.slice(0, -2) : path;
    if (isDirectory(directory)) continue;
    const parent = dirname(resolve(directory));
    const meant = didYouMean(resolve(directory), listDirectories(parent));
    const remedy =
      meant === undefined ? `Its full path is ${resolve(directory)}.` : `Did you mean ${meant}?`;
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `The option plugins names ${path}, which is not a directory. ${remedy}`,
      { option: 'plugins' },
    );
  }
}

/**
 * Checks a zone that the options name. The machine's own is found when the first guest loads, because the first
 * use of ICU takes some 15 ms, in which the guest starts. A getter would be read by each copy of the settings.
 */
function readTimeZone(zone: string | undefined): () => string {
  if (zone === undefined) return machineTimeZone;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions();
    return () => timeZone;
  } catch {
    throw invalid('timeZone', 'the IANA name of a time zone, e.g. Europe/Berlin');
  }
}

let ownZone: string | undefined;

function machineTimeZone(): string {
  ownZone ??= new Intl.DateTimeFormat('en').resolvedOptions().timeZone;
  return ownZone;
}

/** A person reads code for longer than any deadline. */
const PATIENT = {
  timeoutMs: LONGEST_TIMER_MS,
  loadTimeoutMs: LONGEST_TIMER_MS,
  hookTimeoutMs: LONGEST_TIMER_MS,
  suspendAfterMs: LONGEST_TIMER_MS,
  pool: 0,
} satisfies Partial<EngineLimits>;

function checkInspector(options: EngineOptions): void {
  const { inspector, lockFile, walls, trustGroups, packages } = options;
  if (inspector === undefined) return;
  const { port, onListening } = inspector;
  if (!Number.isInteger(port) || port < 0 || port > MAX_PORT || typeof onListening !== 'function') {
    throw invalid('inspector', '{ port: 0 to 65535, onListening: (url) => { … } }');
  }
  const other = Object.entries({
    lockFile,
    'walls.require': walls?.require,
    trustGroups,
    packages,
  }).find(([, value]) => value !== undefined && Object.keys(value).length > 0);
  if (other === undefined) return;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `The option inspector takes a wall away and does not work together with ${other[0]}. Remove one of the two.`,
    { option: 'inspector' },
  );
}

const MAX_PORT = 65_535;

/** The times that a `Date` holds. */
const MAX_TIME = 8.64e15;

function readStartTime(time: number | undefined): Pick<EngineOptions, 'startTime'> {
  if (time === undefined) return {};
  if (Number.isInteger(time) && Math.abs(time) <= MAX_TIME) return { startTime: time };
  throw invalid(
    'startTime',
    'milliseconds since the epoch, e.g. Date.parse("2026-01-01T00:00:00Z")',
  );
}

/** The operator's own files, by their paths without links where they exist. */
function closedPaths(options: EngineOptions, ...more: readonly string[]): readonly string[] {
  const { plugins, defaultPlugins = [], workspace, lockFile, rules } = options;
  const directories = [...plugins, ...defaultPlugins].flatMap((path) =>
    path.endsWith('/*') ? listDirectories(path.slice(0, -2)) : [path],
  );
  return [...directories, ...more, workspace, lockFile, rules].flatMap((path) =>
    path === undefined ? [] : [withoutLinks(resolve(path))],
  );
}

function effectsOf({ effects, approve, tolerance }: EngineOptions): EffectMode {
  return effects ?? (approve === undefined || tolerance === 'full' ? 'audit' : 'ask');
}

function readWalls({
  require = [],
  use = DEFAULT_WALLS,
  paranoid = false,
  users,
}: WallOptions): Settings['walls'] {
  const unknown = require.find((wall: string) => !isWallName(wall));
  if (unknown !== undefined) {
    throw invalid('walls.require', `names of walls; there is no ${unknown}`);
  }
  if (!use.every((wall: string) => isOptionalWall(wall))) {
    throw invalid('walls.use', `any of ${OPTIONAL_WALLS.join(', ')}`);
  }
  if (users !== undefined && !isUserRange(users)) {
    throw invalid('walls.users', 'the first user id, from 1,000 on, and a count from 1 on');
  }
  return { require, use: paranoid ? OPTIONAL_WALLS : use, ...(users && { users }) };
}

/** Ids below 1,000 belong to the system. */
function isUserRange({ first, count }: UserRange): boolean {
  return [first, count].every(Number.isSafeInteger) && first >= 1_000 && count >= 1;
}

function invalid(option: string, takes: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} takes ${takes}.`, { option });
}
