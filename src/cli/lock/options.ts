import type { Command } from 'commander';
import type { EngineOptions, LockBook } from '../../index.js';
import { makePluginLog } from '../plugin-log.js';
import type { CliPowers } from '../powers.js';

export interface LockSettings {
  readonly lock?: string;
  readonly json?: boolean;
}

/** Where a lock is unless another file is named. */
export const LOCK_FILE = 'bulkhead.lock.json';

export function addLockOptions(command: Command): Command {
  return command
    .option('--lock <FILE>', `the lock file (default: ${LOCK_FILE})`)
    .option('--json', 'print one line of JSON');
}

export function lockFileOf({ lock = LOCK_FILE }: Pick<LockSettings, 'lock'>): string {
  return lock;
}

export function openBook(
  settings: LockSettings,
  powers: CliPowers,
  more: Pick<EngineOptions, 'storageDirectory'> = {},
): LockBook {
  const options: EngineOptions = {
    ...more,
    plugins: [],
    env: powers.environment,
    limits: { pool: 0 },
    logger: makePluginLog(powers.stderr),
  };
  return powers.openLockBook(lockFileOf(settings), options);
}

/** Who accepts, for the lock. */
export function whoIs({ environment }: Pick<CliPowers, 'environment'>): string {
  return environment['USER'] ?? environment['LOGNAME'] ?? 'unknown';
}
