import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Lockfile, openLockfile } from '../../../src/entry-points/lock.js';
import type { Engine, EngineOptions } from '../../../src/index.js';
import { makeCache } from '../../run-directory.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../plugin-on-disk.js';

const PLUGIN = {
  id: 'keyed',
  permissions: { env: ['ONE', 'TWO'] },
  tools: { read: `() => keys()` },
  files: {
    'node_modules/keys/index.js': `module.exports = () => [process.env.ONE, process.env.TWO].map(String);`,
  },
};

let directory = '';
let lockFile = '';
let book: Lockfile;
beforeAll(() => {
  const root = makeDirectory();
  directory = makePlugin(PLUGIN, join(root, 'plugins/keyed'));
  const source = readFileSync(join(directory, 'index.ts'), 'utf8');
  writeFileSync(join(directory, 'index.ts'), `import keys from 'keys';\n${source}`);
  lockFile = join(root, 'bulkhead.lock.json');
  book = openLockfile(lockFile, {
    plugins: [],
    cacheDirectory: makeCache(join(root, 'cache')),
    logger: silentLogger,
    env: {},
    limits: { pool: 0 },
    packages: { keyed: 'separate' },
  });
});

async function accept(env: readonly string[]): Promise<void> {
  const inspected = await book.inspect(directory);
  const packages = { grant: { 'node_modules/keys': { env } }, wants: {} };
  book.accept(inspected, { granted: inspected.declared, by: 'ada', packages });
}

const start = (options: Partial<EngineOptions> = {}): Promise<Engine> =>
  startEngine([], { lockFile, env: { ONE: '1', TWO: '2' }, ...options });
const read = async (engine: Engine): Promise<unknown> => (await engine.call('read', {})).value;

function edit(change: (text: string) => string): void {
  writeFileSync(lockFile, change(readFileSync(lockFile, 'utf8')));
}

it('packages run with what the lock file says, and an option only narrows that', async () => {
  await accept(['ONE', 'THREE']);
  expect(book.read().plugins['keyed']?.packages?.['node_modules/keys']?.granted).toEqual({
    env: ['ONE'],
  });
  const engine = await start();
  expect(await read(engine)).toEqual(['1', 'undefined']);
  expect(await read(await start({ packages: { '*': 'separate' } }))).toEqual(['1', 'undefined']);
  const both = { keyed: { grant: { 'node_modules/keys': { env: ['TWO'] } } } };
  expect(await read(await start({ packages: both }))).toEqual(['undefined', 'undefined']);
  expect(await book.check()).toEqual({ keyed: 'as-accepted' });
});

it('code that the lock file no longer names gets nothing of the permissions of other code', async () => {
  await accept(['ONE']);
  const engine = await start();
  const artifact = book.read().plugins['keyed']?.artifact ?? '';
  edit((text) => text.replaceAll(artifact, `sha512-${'a'.repeat(86)}==`));
  const outcome = await engine.call('read', {}).then(({ value }) => value, String);
  expect(JSON.stringify(outcome)).not.toContain('"1"');
});

it('permissions that were accepted for other code of a package stop the plugin', async () => {
  await accept(['ONE']);
  edit((text) => text.replace(/("integrity": "sha512-)....../, '$1AAAAAA'));
  const engine = await start();
  expect(JSON.stringify(engine.plugins())).toContain(
    'its package node_modules/keys is not the one that the lock file names',
  );
});

it('an import that the lock file does not list is refused', async () => {
  await accept(['ONE']);
  const other = makePlugin(
    {
      id: 'importing',
      tools: { run: `() => first` },
      files: {
        'node_modules/a/package.json': '{ "dependencies": { "b": "1" } }',
        'node_modules/a/index.js': `module.exports = require('b');`,
        'node_modules/b/index.js': `module.exports = 'b';`,
      },
    },
    makeDirectory(),
  );
  const source = readFileSync(join(other, 'index.ts'), 'utf8');
  writeFileSync(join(other, 'index.ts'), `import first from 'a';\n${source}`);
  const all = openLockfile(lockFile, {
    plugins: [],
    logger: silentLogger,
    env: {},
    limits: { pool: 0 },
    packages: { '*': 'separate' },
  });
  const inspected = await all.inspect(other);
  all.accept(inspected, { granted: inspected.declared, by: 'ada' });
  expect((await (await start()).call('run', {})).value).toBe('b');
  edit((text) => text.replace(/"imports": \[\s*"node_modules\/b"\s*\]/, '"imports": []'));
  const engine = await start();
  expect(JSON.stringify(await engine.call('run', {}).catch(String))).toContain(
    'may not import node_modules/b',
  );
});
