import type * as Validator from '../../schema/validator/entry.js';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

const require = createRequire(import.meta.url);

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
  confined: (): string => require.resolve('#sandbox/guest.cjs'),
  inspected: (): string => require.resolve('#sandbox/inspected-guest.cjs'),
  unconfined: (): string => require.resolve('#sandbox/unconfined-guest.cjs'),
};

/** The text of the schema validator that guests evaluate. */
export function readValidator(): Promise<string> {
  return readFile(require.resolve('#validator'), 'utf8');
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
  const path = createRequire(import.meta.url).resolve('#validator');
  own ??= readOwn(path);
  return own.compile;
}

function readOwn(path: string): typeof Validator {
  // The text is one function from this package's build.
  const make: () => typeof Validator = runInThisContext(readFileSync(path, 'utf8'));
  return make();
}
