import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../../src/index.js';
import { makePlugin } from './plugin-on-disk.js';

/** Everything of this process that an engine may leave behind. */
interface Leftovers {
  readonly processes: number;
  readonly descriptors: number;
  readonly timersAndWatchers: number;
}

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe.runIf(process.platform === 'linux')(
  'an engine that was opened and closed twenty times',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'bulkhead-close-'));
    afterAll(() => rmSync(root, { recursive: true, force: true }));
    let plugins: readonly string[] = [];
    beforeAll(() => {
      const source = (body: string): string => `export const tools = [
      { id: 'work', name: 'work', description: 'works', parameters: {}, execute: ${body} }];`;
      const permissions = { storage: true, time: true, network: ['api.example.com'] };
      plugins = [
        makePlugin({ id: 'a', source: source('() => 1') }),
        makePlugin({
          id: 'b',
          permissions,
          source: source('() => setInterval(() => {}, 10) && 1'),
        }),
      ];
    });

    const kinds: Readonly<Record<string, () => Partial<EngineOptions>>> = {
      'with a guest for each plugin': () => ({}),
      'with a trust group': () => ({ trustGroups: { both: ['a', 'b'] } }),
      'with replicas': () => ({ replicas: { a: { max: 2 } } }),
      'with background work': () => ({ background: ['b'] }),
      'with a JSON audit log': () => ({ audit: { file: join(root, 'audit.jsonl') } }),
      'with an SQLite audit log': () => ({ audit: { file: join(root, 'audit.db') } }),
      'with watching': () => ({ watch: true }),
      'with rules and storage': () => ({
        rules: join(root, 'rules.json'),
        storageDirectory: join(root, 'storage'),
      }),
    };

    it.each(Object.entries(kinds))(
      '%s leaves no process, descriptor, timer or watcher',
      async (_name, optionsOf) => {
        const openAndClose = async (): Promise<void> => {
          const engine = await createEngine({
            plugins,
            grant: 'declared',
            cacheDirectory: join(root, 'cache'),
            logger: QUIET,
            ...optionsOf(),
          });
          for (const name of ['a__work', 'b__work']) {
            expect((await engine.call(name, {}, { tenant: 't' })).isError).toBe(false);
          }
          await engine.close();
        };
        // What is loaded once may stay: modules, and the process of the bundler.
        await openAndClose();
        const before = leftovers();
        for (let round = 0; round < 20; round += 1) await openAndClose();
        await expect.poll(() => moreThan(before), { timeout: 5_000 }).toEqual([]);
      },
      120_000,
    );
  },
);

/** What there is more of than before. */
function moreThan(before: Leftovers): readonly string[] {
  const now = leftovers();
  return (['processes', 'descriptors', 'timersAndWatchers'] as const)
    .filter((kind) => now[kind] > before[kind])
    .map((kind) => `${now[kind] - before[kind]} ${kind}`);
}

function leftovers(): Leftovers {
  return {
    processes: childrenOf(process.pid),
    descriptors: readdirSync('/proc/self/fd').filter((name) => isOpen(`/proc/self/fd/${name}`))
      .length,
    timersAndWatchers: process
      .getActiveResourcesInfo()
      .filter((kind) => kind === 'Timeout' || kind === 'FSEventWrap' || kind === 'StatWatcher')
      .length,
  };
}

/** The directory's own descriptor is gone when its entries are looked at. */
function isOpen(path: string): boolean {
  try {
    return readlinkSync(path) !== '';
  } catch {
    return false;
  }
}

function childrenOf(pid: number): number {
  const text = execFileSync('ps', ['-eo', 'ppid='], { encoding: 'utf8' });
  // `ps` itself is a child, too, each time.
  return text.split('\n').filter((ppid) => Number(ppid) === pid).length;
}
