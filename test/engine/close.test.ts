import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine, type EngineOptions } from '../../src/index.js';
import { answering, makeExtension } from './extension-on-disk.js';
import { makeServer, plainProgram } from './mcp-on-disk.js';
import { makePlugin } from './plugin-on-disk.js';
import { makeVellum } from './vellum-on-disk.js';
import { makeCache } from '../run-directory.js';
import { whatStays } from '../what-stays.js';

/** Everything of this process that an engine may leave behind. */
interface Leftovers {
  readonly processes: number;
  readonly descriptors: number;
  readonly timersAndWatchers: number;
}

interface Kind {
  /** The plugins that are loaded. Default: `b`. */
  readonly ids?: readonly string[];
  /** The tools that are called. Default: `work` of each plugin. */
  readonly tools?: readonly string[];
  readonly options?: () => Partial<EngineOptions>;
}

/** A leftover of each round shows after one; of some rounds, after several. */
const ROUNDS = 20;

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

describe.runIf(process.platform === 'linux')(
  'an engine that was opened and closed twenty times',
  () => {
    const root = mkdtempSync(join(tmpdir(), 'bulkhead-close-'));
    afterAll(() => rmSync(root, { recursive: true, force: true }));
    let plugins: Readonly<Record<string, string>> = {};
    beforeAll(() => {
      const source = (body: string): string => `export const tools = [
      { id: 'work', name: 'work', description: 'works', parameters: {}, execute: ${body} }];`;
      const permissions = { storage: true, time: true, network: ['api.example.com'] };
      plugins = {
        a: makePlugin({ id: 'a', source: source('() => 1') }),
        b: makePlugin({
          id: 'b',
          permissions,
          source: source('() => setInterval(() => {}, 10) && 1'),
        }),
        rows: makePlugin({
          id: 'rows',
          permissions,
          source: `import { DatabaseSync } from 'node:sqlite';
            let open;
            ${source(`() => {
              open ??= new DatabaseSync('/workspace/rows.db');
              open.exec('CREATE TABLE IF NOT EXISTS rows (n); INSERT INTO rows VALUES (1)');
              return 1;
            }`)}`,
        }),
        free: makePlugin({
          id: 'free',
          entry: { sandbox: 'host' },
          source: source('() => setInterval(() => {}, 10) && 1'),
        }),
        extension: makeExtension({ identifier: 'extension', source: answering({ work: '1' }) }),
        hooked: makeVellum({
          name: 'hooked',
          tools: {
            look: `export default { description: 'd', input_schema: { type: 'object' }, execute: () => ({ content: 'x', isError: false }) };`,
          },
          hooks: { stop: 'export default () => {}' },
        }),
        server: makeServer({ name: 'server', program: plainProgram('return text(1)') }),
      };
    });

    const both = ['a', 'b'];
    // Each of them holds something else open, and together they cover every option that does.
    const kinds: Readonly<Record<string, Kind>> = {
      'with a guest for each plugin, a JSON audit log, rules, storage and watching': {
        ids: both,
        options: () => ({
          audit: { file: join(root, 'audit.jsonl') },
          rules: join(root, 'rules.json'),
          storageDirectory: join(root, 'storage'),
          watch: true,
        }),
      },
      'with standby guests, replicas, background work and an SQLite audit log': {
        ids: both,
        options: () => ({
          audit: { file: join(root, 'audit.db') },
          limits: { pool: 1 },
          replicas: { a: { max: 2 } },
          background: ['b'],
        }),
      },
      'with a trust group': { ids: both, options: () => ({ trustGroups: { both } }) },
      'with a guest for each tenant and for each call, open databases and recorded calls': {
        ids: ['b', 'rows'],
        options: () => ({
          isolation: { b: 'call', rows: 'tenant' },
          record: ['b'],
          audit: { file: join(root, 'isolated.db') },
          storageDirectory: join(root, 'isolated'),
        }),
      },
      'with an extension, hooks, an MCP server and an unconfined plugin': {
        ids: ['extension', 'hooked', 'server', 'free'],
        tools: ['extension:work', 'hooked:look', 'server:run', 'free:work'],
        options: () => ({
          hostMode: ['free'],
          tolerance: 'full',
          storageDirectory: join(root, 'mixed'),
        }),
      },
      'with a server that a command starts': {
        ids: [],
        tools: ['remote:run'],
        options: () => ({
          tolerance: 'full',
          remotes: [
            {
              id: 'remote',
              command: process.execPath,
              args: [
                '-e',
                plainProgram('return text(1)').replace("import process from 'node:process';", ''),
              ],
            },
          ],
        }),
      },
    };

    it.each(Object.entries(kinds))(
      '%s leaves no process, descriptor, timer or watcher',
      async (_name, { ids = ['b'], tools = ids.map((id) => `${id}:work`), options }) => {
        const openAndClose = async (): Promise<void> => {
          const engine = await createEngine({
            plugins: ids.map((id) => plugins[id] ?? ''),
            grant: 'declared',
            cacheDirectory: makeCache(join(root, 'cache')),
            logger: QUIET,
            limits: { pool: 0 },
            ...options?.(),
          });
          const calls = tools.map((tool) => engine.call(tool, {}, { tenant: 't' }));
          for (const { code } of await Promise.all(calls)) expect(code).toBeUndefined();
          await engine.close();
          // Without looking away: garbage collection would close some of them sooner or later.
          expect(openFilesBelow(root)).toEqual([]);
        };
        // What is loaded once may stay: modules, and the process of the bundler.
        await openAndClose();
        const before = leftovers();
        for (let round = 0; round < ROUNDS; round += 1) await openAndClose();
        expect(await whatStays(() => moreThan(before))).toEqual([]);
      },
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
    descriptors: readdirSync('/proc/self/fd').filter(
      (name) => targetOf(`/proc/self/fd/${name}`) !== undefined,
    ).length,
    timersAndWatchers: process
      .getActiveResourcesInfo()
      .filter((kind) => kind === 'Timeout' || kind === 'FSEventWrap' || kind === 'StatWatcher')
      .length,
  };
}

/** Open files of the engine's own: its logs, rules, storage and caches. */
function openFilesBelow(root: string): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    const path = targetOf(`/proc/self/fd/${name}`);
    return path?.startsWith(root) === true ? [path] : [];
  });
}

/** The directory's own descriptor is gone when its entries are looked at. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor);
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number {
  const text = execFileSync('ps', ['-eo', 'ppid='], { encoding: 'utf8' });
  // `ps` itself is a child, too, each time.
  return text.split('\n').filter((ppid) => Number(ppid) === pid).length;
}
