import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLockfile } from '../../../src/entry-points/lock.js';
import { makeCache } from '../../run-directory.js';
import { makeDirectory, makePlugin, silentLogger, startEngine } from '../plugin-on-disk.js';

it('starts only code that was accepted with the same option packages', async () => {
  const root = makeDirectory();
  const directory = makePlugin(
    { id: 'locked', tools: { run: "() => 'ran'" } },
    join(root, 'plugins/locked'),
  );
  const lockFile = join(root, 'bulkhead.lock.json');
  const packages = { locked: 'separate' } as const;
  const accept = async (more: object): Promise<void> => {
    const book = openLockfile(lockFile, {
      plugins: [],
      cacheDirectory: makeCache(join(root, 'cache')),
      logger: silentLogger,
      env: {},
      limits: { pool: 0 },
      ...more,
    });
    const inspected = await book.inspect(directory);
    book.accept(inspected, { granted: inspected.declared, by: 'ada' });
  };

  await accept({});
  // What it offers is stored, so that a start needs no guest.
  const first = await startEngine([], { lockFile });
  expect(await first.call('run', {})).toMatchObject({ value: 'ran' });
  const refused = await startEngine([], { lockFile, packages });
  expect(JSON.stringify(refused.plugins())).toContain('its accepted code was built as one bundle');
  await accept({ packages });
  const engine = await startEngine([], { lockFile, packages });
  expect(await engine.call('run', {})).toMatchObject({ value: 'ran' });
});

it('gives a package that is cut to what is used the same answers as one bundle', async () => {
  const source = `
      import * as all from 'barrel';
      import { total as renamed } from 'barrel';
      import { named } from 'other';
      export const tools = [{ id: 'run', name: 'Run', description: 'Runs', parameters: { type: 'object' },
        execute: () => {
          const before = [all.count, renamed];
          all.add(2);
          return [before, all.count, renamed, typeof all.missing, named(), all.default, all.inner.deep, all['a-b']];
        } }];`;
  const files = {
    'node_modules/barrel/package.json': JSON.stringify({
      name: 'barrel',
      version: '1.0.0',
      main: 'index.js',
      type: 'module',
      sideEffects: false,
    }),
    'node_modules/barrel/index.js': `
      export * from './counter.js';
      export * as inner from './inner.js';
      const dashed = 'dashed';
      export { dashed as 'a-b' };
      export default 'the default';`,
    'node_modules/barrel/counter.js':
      'export let count = 0; export let total = 10; export const add = (by) => { count += by; total += by; };',
    'node_modules/barrel/inner.js': `export const deep = 'deep'; export const unused = 'unused';`,
    'node_modules/other/package.json':
      '{ "name": "other", "version": "1.0.0", "main": "index.js", "type": "module", "sideEffects": [], "dependencies": { "barrel": "1" } }',
    'node_modules/other/index.js': `import { count, inner } from 'barrel'; export const named = () => [count, Object.keys(inner).length];`,
  };
  const answers = await Promise.all(
    (['separate', 'together'] as const).map(async (packages) => {
      const directory = makePlugin({ source, files });
      const engine = await startEngine([directory], { packages: { '*': packages } });
      return (await engine.call('run', {})).value;
    }),
  );
  expect(answers[0]).toEqual([
    [0, 10],
    2,
    12,
    'undefined',
    [2, 2],
    'the default',
    'deep',
    'dashed',
  ]);
  expect(answers[1]).toEqual(answers[0]);
});

it.each(['together', 'separate'] as const)(
  'lets a package inherit from the global object and define names of its own, %s',
  async (packages) => {
    const directory = makePlugin({
      source: `// @ts-nocheck
        import { answer } from 'heir';
        export const tools = [{ id: 'run', name: 'Run', description: 'Runs', parameters: { type: 'object' },
          annotations: { readOnlyHint: true }, execute: () => [...answer, typeof globalThis.extra, new Headers({ a: '1' }).get('a')] }];`,
      files: {
        'node_modules/heir/index.js': `'use strict';
          const own = Object.create(globalThis);
          own.Headers = 'its own'; own.extra = 'extra'; own.extra += '!';
          exports.answer = [own.Headers, own.extra, Object.keys(own).join(), typeof globalThis.Headers, 'extra' in globalThis];`,
      },
    });
    const engine = await startEngine([directory], { packages: { sample: packages } });
    expect(await engine.call('run', {})).toMatchObject({
      value: ['its own', 'extra!', 'Headers,extra', 'function', false, 'undefined', '1'],
    });
  },
);
