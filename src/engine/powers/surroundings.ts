import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const require = createRequire(import.meta.url);

/** What an engine takes from the process that it lives in, unless its host says otherwise. */
export function surroundings(): {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cacheDirectory: string;
  readonly storageDirectory: string;
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
  };
}

/** The files that guests run, made at build time. */
export const guestScripts = {
  confined: (): string => require.resolve('#sandbox/guest.cjs'),
  unconfined: (): string => require.resolve('#sandbox/unconfined-guest.cjs'),
};

/** The text of the schema validator that guests evaluate. */
export function readValidator(): Promise<string> {
  return readFile(require.resolve('#validator'), 'utf8');
}

/** The process that writes the audit log. */
export function hostPid(): number {
  return process.pid;
}
