import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let root: string | undefined;

/**
 * Gives a run of the tests its own directories for cache, data and configuration. No test reads or
 * writes those of the user. Vitest calls it before it starts its workers.
 */
export function setup(): void {
  root = mkdtempSync(join(tmpdir(), 'bulkhead-run-'));
  process.env['XDG_CACHE_HOME'] = join(root, 'cache');
  process.env['XDG_DATA_HOME'] = join(root, 'data');
  process.env['XDG_CONFIG_HOME'] = join(root, 'config');
  process.env['BULKHEAD_TEST_RUN'] = root;
}

export function teardown(): void {
  if (root !== undefined) rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * A new directory for the files of a test. It goes with the run at the latest, so that nothing is left by
 * a worker that was killed.
 */
export function makeScratch(name: string): string {
  return mkdtempSync(join(process.env['BULKHEAD_TEST_RUN'] ?? tmpdir(), `bulkhead-${name}-`));
}

/**
 * Makes `directory` a cache directory for engines. All such caches of a run share V8's compiled form
 * of the guest's code, because a guest starts a third faster with it. They share nothing else, so a
 * test does not depend on the tests before it.
 */
export function makeCache(directory: string): string {
  const shared = join(process.env['XDG_CACHE_HOME'] ?? tmpdir(), 'bulkhead', 'code');
  const own = join(directory, 'code');
  if (existsSync(own)) return directory;
  mkdirSync(shared, { recursive: true, mode: 0o700 });
  mkdirSync(directory, { recursive: true });
  symlinkSync(shared, own);
  return directory;
}
