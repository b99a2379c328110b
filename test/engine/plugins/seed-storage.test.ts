import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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

  it('are never files from elsewhere, whatever the links', async () => {
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

  it('that are required prevent the extension from running without them', async () => {
    const engine = await startEngine([extension([{ from: 'no.txt', required: true }])]);
    expect(engine.plugins()[0]).toMatchObject({ state: 'failed' });
    const messages = engine
      .plugins()[0]
      ?.problems.map(({ message }) => message)
      .join('\n');
    expect(messages).toMatch(
      /storage_seed_files: no\.txt, which is required, cannot be put into no\.txt/,
    );
    expect(messages).toContain(
      'storage_seed_files[0].from: there is no file or directory "no.txt", so the extension does not load',
    );
    const without = await startEngine([extension([{ from: 'no.txt' }])]);
    expect(without.plugins()[0]).toMatchObject({ state: 'active' });
    expect(without.plugins()[0]?.problems[0]?.message).toContain('so nothing is copied');
  });

  it('have caps on their size and number', async () => {
    const large = extension([{ from: 'large', required: true }], {
      large: 'x'.repeat(17 * 1024 * 1024),
    });
    const engine = await startEngine([large]);
    expect(engine.plugins()[0]?.state).toBe('failed');
    const directory = extension([{ from: 'folder', required: true }]);
    mkdirSync(join(directory, 'folder'));
    for (let at = 0; at < 2_001; at += 1) writeFileSync(join(directory, 'folder', `${at}`), '');
    const other = await startEngine([directory]);
    expect(other.plugins()[0]?.state).toBe('failed');
  });

  it('may be directories, which are copied whole, and stay once they exist', async () => {
    const files = { 'defaults/modes/a.json': 'a', 'defaults/modes/deep/b.json': 'b' };
    const directory = extension(
      [
        { from: 'defaults/modes/', to: 'modes/' },
        { from: 'defaults', to: 'all', overwrite: true },
      ],
      files,
    );
    const storage = makeDirectory();
    const data = join(storage, 'sample', 'data');
    expect(await read(directory, storage, 'modes/deep/b.json')).toBe('b');
    expect(await read(directory, storage, 'all/modes/a.json')).toBe('a');
    writeFileSync(join(data, 'modes/a.json'), 'mine');
    rmSync(join(data, 'modes/deep/b.json'));
    writeFileSync(join(directory, 'defaults/modes/a.json'), 'new');
    expect(await read(directory, storage, 'modes/a.json')).toBe('mine');
    expect(await read(directory, storage, 'modes/deep/b.json')).toBe('threw File not found');
    expect(await read(directory, storage, 'all/modes/a.json')).toBe('new');
  });

  it('leave out links in directories', async () => {
    const outside = join(makeDirectory(), 'secret');
    writeFileSync(outside, 'a secret');
    const directory = extension([{ from: 'folder' }], { 'folder/a': 'a' });
    symlinkSync(outside, join(directory, 'folder', 'cfg'));
    symlinkSync(join(outside, '..'), join(directory, 'folder', 'dir'));
    const storage = makeDirectory();
    expect(await read(directory, storage, 'folder/a')).toBe('a');
    expect(await read(directory, storage, 'folder/cfg')).toBe('threw File not found');
    expect(await read(directory, storage, 'folder/dir/secret')).toBe('threw File not found');
  });

  it('are not written if storage is not granted', async () => {
    const storageDirectory = makeDirectory();
    const engine = await startEngine([extension([{ from: 'a' }], { a: 'x' })], {
      storageDirectory,
      grant: { sample: { powers: ['tools'] } },
    });
    expect((await engine.call('sample:read', { path: 'a' })).value).toMatch(/^threw /);
  });
});
