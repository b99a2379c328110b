import type * as Validator from '../../schema/validator/entry.js';
import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';
import { ownFile } from '../../own-file.js';

/** Defaults that an engine reads from its process. */
export function processDefaults(): {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cacheDirectory: string;
  readonly storageDirectory: string;
  readonly enclaveKeyFile: string;
} {
  const { env } = process;
  return {
    env,
    cacheDirectory: join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'bulkhead'),
    storageDirectory: join(
      env['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'),
      'bulkhead',
      'storage',
    ),
    enclaveKeyFile: join(
      env['XDG_CONFIG_HOME'] || join(homedir(), '.config'),
      'bulkhead',
      'enclave.key',
    ),
  };
}

/** The scripts of guests, created at build time. */
export const guestScripts = {
  confined: (): string => ownFile('dist/sandbox/guest.cjs'),
  inspected: (): string => ownFile('dist/sandbox/inspected-guest.cjs'),
  unconfined: (): string => ownFile('dist/sandbox/unconfined-guest.cjs'),
};

/** Changes with the code of guests, which decides what a plugin offers. */
export function guestStamp(): string {
  const { size, mtimeMs } = statSync(guestScripts.confined());
  return `${size}-${mtimeMs}`;
}

const VALIDATOR = 'dist/validator.js';

/** The text of the schema validator that guests evaluate. */
export function readValidator(): Promise<string> {
  return readFile(ownFile(VALIDATOR), 'utf8');
}

/** The id of the process that writes the audit log. */
export function hostPid(): number {
  return process.pid;
}

let own: typeof Validator | undefined;

/**
 * The guests' schema compiler, for the host. Use it only for schemas that the host wrote, because
 * it turns a schema into code.
 */
export function ownCompiler(): typeof Validator.compile {
  own ??= readOwn(ownFile(VALIDATOR));
  return own.compile;
}

function readOwn(path: string): typeof Validator {
  // The text is one function from this package's build.
  const make: () => typeof Validator = runInThisContext(readFileSync(path, 'utf8'));
  return make();
}
