import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeExtension, registering } from '../extension-on-disk.js';
import { makeDirectory, startEngine } from '../plugin-on-disk.js';

const source = `${registering('read')}
  spindle.on('TOOL_INVOCATION', async ({ args }) => spindle.storage.read(args.path).catch((error) => 'threw ' + error.message));`;

interface Seed {
  readonly from: string;
  readonly to?: string;
  readonly overwrite?: boolean;
  readonly required?: boolean;
}

const extension = (seeds: readonly Seed[], files: Readonly<Record<string, string>> = {}): string =>
  makeExtension({ source, manifest: { storage_seed_files: seeds }, files });

async function read(directory: string, storageDirectory: string, path: string): Promise<unknown> {
  const engine = await startEngine([directory], { storageDirectory });
  const { value } = await engine.call('sample:read', { path });
  await engine.close();
  return value;
}

describe('the files that an extension brings along', () => {
  it('are in its storage before its code runs', async () => {
    const directory = extension([{ from: 'seeds/a.json', to: 'data/a.json' }, { from: 'b.txt' }], {
      'seeds/a.json': '{}',
      'b.txt': 'b',
    });
    const storage = makeDirectory();
    expect(await read(directory, storage, 'data/a.json')).toBe('{}');
    expect(await read(directory, storage, 'b.txt')).toBe('b');
    expect(await read(directory, storage, 'a.json')).toBe('threw File not found');
  });

  it('leave what is there alone, or replace it once when they have changed', async () => {
    const directory = extension([{ from: 'kept.txt' }, { from: 'fresh.txt', overwrite: true }], {
      'kept.txt': '1',
      'fresh.txt': '1',
    });
    const storage = makeDirectory();
    const data = join(storage, 'sample', 'data');
    expect(await read(directory, storage, 'kept.txt')).toBe('1');
    writeFileSync(join(data, 'kept.txt'), 'mine');
    writeFileSync(join(data, 'fresh.txt'), 'mine');
    expect(await read(directory, storage, 'fresh.txt')).toBe('mine');
    writeFileSync(join(directory, 'kept.txt'), '2');
    writeFileSync(join(directory, 'fresh.txt'), '2');
    expect(await read(directory, storage, 'fresh.txt')).toBe('2');
    expect(readFileSync(join(data, 'kept.txt'), 'utf8')).toBe('mine');
  });

  it('are never files from elsewhere, whatever links say', async () => {
    const outside = join(makeDirectory(), 'secret');
    writeFileSync(outside, 'a secret');
    const directory = extension([{ from: 'cfg' }, { from: 'dir/secret', to: 'two' }]);
    symlinkSync(outside, join(directory, 'cfg'));
    symlinkSync(join(outside, '..'), join(directory, 'dir'));
    const storage = makeDirectory();
    expect(await read(directory, storage, 'cfg')).toBe('threw File not found');
    expect(await read(directory, storage, 'two')).toBe('threw File not found');
  });

  it.each(['../x', '/etc/passwd', 'a/../../x'])('may not be called %s', async (path) => {
    for (const seed of [{ from: path }, { from: 'a', to: path }]) {
      const engine = await startEngine([extension([seed], { a: '' })]);
      expect(engine.plugins()[0]?.problems[0]?.code).toBe('OUTSIDE_PLUGIN');
    }
  });

  it('that are required keep the extension from running without them', async () => {
    const engine = await startEngine([extension([{ from: 'no.txt', required: true }])]);
    expect(engine.plugins()[0]).toMatchObject({ state: 'failed' });
    expect(engine.plugins()[0]?.problems[0]?.message).toMatch(
      /storage_seed_files: no\.txt, which is required, cannot be put into no\.txt/,
    );
    const without = await startEngine([extension([{ from: 'no.txt' }])]);
    expect(without.plugins()[0]).toMatchObject({ state: 'active' });
  });

  it('are few enough, and no directories', async () => {
    const large = extension([{ from: 'large', required: true }], {
      large: 'x'.repeat(17 * 1024 * 1024),
    });
    const engine = await startEngine([large]);
    expect(engine.plugins()[0]?.state).toBe('failed');
    const directory = extension([{ from: 'folder', required: true }]);
    mkdirSync(join(directory, 'folder'));
    const other = await startEngine([directory]);
    expect(other.plugins()[0]?.state).toBe('failed');
  });

  it('are not put anywhere where storage is not granted', async () => {
    const storageDirectory = makeDirectory();
    const engine = await startEngine([extension([{ from: 'a' }], { a: 'x' })], {
      storageDirectory,
      grant: { sample: { powers: ['tools'] } },
    });
    expect((await engine.call('sample:read', { path: 'a' })).value).toMatch(/^threw /);
  });
});
