import type { Command } from 'commander';
import { join } from 'node:path';
import type { Lockfile } from '../../engine/lockfile.js';
import type { EngineOptions } from '../../engine/types/options.js';
import type { CliCapabilities } from '../capabilities.js';
import { configDirectoryOf, makePluginLog, TRUST_PLACE, trustFileOf } from '../engine-options.js';
import { usageError } from '../failure.js';
import { memoryLimit, type MemorySettings } from '../memory-option.js';

export interface LockSettings extends MemorySettings {
  readonly lock?: string;
  /** Use the lock file of the user. */
  readonly user?: boolean;
  readonly trust?: string;
  readonly json?: boolean;
}

/** The default lock file. */
export const LOCK_FILE = 'bulkhead.lock.json';

export function addLockOptions(command: Command): Command {
  return command
    .option('--lock <FILE>', `the lock file (default: ${LOCK_FILE})`)
    .option('--user', `the lock file bulkhead/${LOCK_FILE} in your configuration directory`)
    .option('--trust <FILE>', `file of required and revoked keys (${TRUST_PLACE})`)
    .option('--json', 'print one line of JSON');
}

export function lockFileOf({ lock = LOCK_FILE }: Pick<LockSettings, 'lock'>): string {
  return lock;
}

/** The lock file of the user, which `run` uses. Throws `INVALID_OPTIONS` without a home directory. */
export function userLockFile(capabilities: Pick<CliCapabilities, 'environment'>): string {
  const directory = configDirectoryOf(capabilities);
  if (directory !== undefined) return join(directory, LOCK_FILE);
  throw usageError('--user', 'there is no home directory: HOME and XDG_CONFIG_HOME are not set');
}

export function openLock(
  settings: LockSettings,
  capabilities: CliCapabilities,
  more: Pick<EngineOptions, 'storageDirectory' | 'packages'> = {},
): Lockfile {
  const trustFile = trustFileOf(settings, capabilities);
  const options: EngineOptions = {
    ...more,
    ...(trustFile === undefined ? {} : { trustFile }),
    plugins: [],
    env: capabilities.environment,
    limits: { pool: 0, ...memoryLimit(settings) },
    logger: makePluginLog(capabilities.stderr),
  };
  const { lock, user = false } = settings;
  if (user && lock !== undefined) throw usageError('--user', 'it cannot be used with --lock');
  const path = user ? userLockFile(capabilities) : lockFileOf(settings);
  return capabilities.openLockfile(path, options);
}

/** A missing lock file is an error, because there is nothing to compare with. */
export async function requireLockFile(
  { path }: Pick<Lockfile, 'path'>,
  { readFile }: Pick<CliCapabilities, 'readFile'>,
): Promise<void> {
  await readFile(path).catch(() => {
    throw usageError(
      '--lock',
      `the lock file ${path} does not exist; create it with bulkhead add <plugin-dir>`,
    );
  });
}

/** The name of the operator, for the lock file. */
export function operatorName({ operator }: Pick<CliCapabilities, 'operator'>): string {
  return operator;
}
