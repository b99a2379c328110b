import type { Command } from 'commander';
import type { Lockfile } from '../../engine/lockfile.js';
import type { EngineOptions } from '../../engine/types/options.js';
import type { CliCapabilities } from '../capabilities.js';
import { makePluginLog, TRUST_PLACE, trustFileOf } from '../engine-options.js';

export interface LockSettings {
  readonly lock?: string;
  readonly trust?: string;
  readonly json?: boolean;
}

/** The default lock file. */
export const LOCK_FILE = 'bulkhead.lock.json';

export function addLockOptions(command: Command): Command {
  return command
    .option('--lock <FILE>', `the lock file (default: ${LOCK_FILE})`)
    .option('--trust <FILE>', `file of required and revoked keys (${TRUST_PLACE})`)
    .option('--json', 'print one line of JSON');
}

export function lockFileOf({ lock = LOCK_FILE }: Pick<LockSettings, 'lock'>): string {
  return lock;
}

export function openLock(
  settings: LockSettings,
  capabilities: CliCapabilities,
  more: Pick<EngineOptions, 'storageDirectory'> = {},
): Lockfile {
  const trustFile = trustFileOf(settings, capabilities);
  const options: EngineOptions = {
    ...more,
    ...(trustFile === undefined ? {} : { trustFile }),
    plugins: [],
    env: capabilities.environment,
    limits: { pool: 0 },
    logger: makePluginLog(capabilities.stderr),
  };
  return capabilities.openLockfile(lockFileOf(settings), options);
}

/** The name of the operator, for the lock file. */
export function operatorName({ operator }: Pick<CliCapabilities, 'operator'>): string {
  return operator;
}
