import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent } from '../../src/index.js';
import { makeDirectory, makePlugin, runTool, startEngine } from './plugin-on-disk.js';

const tools = {
  write: `async ({ path, text }) => { await storage.write(path, text) }`,
  read: `async ({ path }) => storage.read(path)`,
  list: `async () => (await storage.list('', { recursive: true })).map(({ name }) => name)`,
};

describe('storage', () => {
  it('stores what a plugin wrote for its later guests and for later engines', async () => {
    const directory = makePlugin({ permissions: { storage: true }, tools });
    const storageDirectory = makeDirectory();
    const first = await startEngine([directory], { storageDirectory });
    await first.call('write', { path: 'a/b.txt', text: 'kept' });
    await first.reload();
    expect(await first.call('read', { path: 'a/b.txt' })).toMatchObject({ value: 'kept' });
    await first.close();
    const second = await startEngine([directory], { storageDirectory });
    expect(await second.call('list', {})).toMatchObject({ value: ['a', 'a/b.txt'] });
  });

  it('is separate for every plugin', async () => {
    const storageDirectory = makeDirectory();
    const engine = await startEngine(
      ['one', 'two'].map((id) => makePlugin({ id, permissions: { storage: true }, tools })),
      { storageDirectory },
    );
    await engine.call('one:write', { path: 'a', text: 'one’s' });
    expect(await engine.call('two:list', {})).toMatchObject({ value: [] });
    for (const path of ['../one/data/a', '../../one/data/a', `${storageDirectory}/one/data/a`]) {
      expect(await engine.call('two:read', { path })).toMatchObject({ code: 'STORAGE_DENIED' });
    }
    expect(readdirSync(storageDirectory).toSorted()).toEqual(['one', 'two']);
  });

  it('exists only if it was both declared and granted', async () => {
    const run = `async () => { await storage.write('a', 'b') }`;
    expect(await runTool(run)).toMatchObject({ code: 'STORAGE_DENIED' });
    const storageDirectory = makeDirectory();
    const asked = { permissions: { storage: true } };
    expect(await runTool(run, asked, { grant: 'nothing', storageDirectory })).toMatchObject({
      code: 'STORAGE_DENIED',
    });
    expect(readdirSync(storageDirectory)).toEqual([]);
    const { isError } = await runTool(run, asked, {
      grant: { sample: { storage: true } },
      storageDirectory,
    });
    expect(isError).toBe(false);
    expect(readdirSync(join(storageDirectory, 'sample/data'))).toEqual(['a']);
  });

  it('has the quota that the host sets, and reports each use', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await startEngine([makePlugin({ permissions: { storage: true }, tools })], {
      storageDirectory: makeDirectory(),
      limits: { maxStorageBytes: 10 },
      onEvent: (event) => events.push(event),
    });
    await engine.call('write', { path: 'a', text: '12345' });
    expect(await engine.call('write', { path: 'b', text: '123456' })).toMatchObject({
      code: 'STORAGE_LIMIT',
    });
    await engine.call('read', { path: '../a' });
    expect(
      events.filter(({ type }) => type === 'capability-used' || type === 'capability-denied'),
    ).toMatchObject([
      { type: 'capability-used', permission: 'storage', wanted: 'write a', bytesOut: 5 },
      { type: 'capability-used', wanted: 'write b', outcome: 'failed' },
      { type: 'capability-denied', wanted: 'read ../a' },
    ]);
  });

  it('is one for a plugin’s guests together', async () => {
    const source = `const tool = (id, permissions) => ({ id, name: 'n', description: 'd', annotations: { readOnlyHint: true }, permissions, execute: async ({ text }) => { await storage.append('log', text); return storage.read('log') } });
      export const tools = [tool('whole', { storage: true, time: true }), tool('less', { storage: true })]`;
    const engine = await startEngine(
      [makePlugin({ permissions: { storage: true, time: true }, source })],
      { storageDirectory: makeDirectory() },
    );
    await engine.call('whole', { text: 'a' });
    expect(await engine.call('less', { text: 'b' })).toMatchObject({ value: 'ab' });
  });
});
