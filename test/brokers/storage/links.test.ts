import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeRoot, storageOf, type TestStorage } from './keeper.js';

const SWAPPER = new URL('./swap-directory.mjs', import.meta.url).pathname;

describe('what a plugin asks of its storage that lies elsewhere', () => {
  it.each(['../b', 'a/../../b', 'a/..', '/etc/passwd', 'a\0b', 'a\\..\\b', 'a\nb', 'a\ud800'])(
    'is refused: %j',
    async (path) => {
      const { refusal } = storageOf();
      for (const op of ['read', 'write', 'append', 'list', 'stat', 'mkdir', 'delete'] as const) {
        expect([op, (await refusal({ op, path }, 'x'))[0]]).toEqual([op, 'STORAGE_DENIED']);
      }
      expect((await refusal({ op: 'move', path: 'a', to: path }))[0]).toBe('STORAGE_DENIED');
    },
  );

  it('is refused: the top directory, by any name', async () => {
    const { refusal, ask, root } = storageOf();
    await ask({ op: 'write', path: 'a' }, 'x');
    for (const path of ['', '.', './', '././']) {
      for (const recursive of [true, false]) {
        expect((await refusal({ op: 'delete', path, recursive }))[0]).toBe('STORAGE_DENIED');
      }
      expect((await refusal({ op: 'move', path, to: 'b' }))[0]).toBe('STORAGE_DENIED');
      expect((await refusal({ op: 'move', path: 'a', to: path }))[0]).toBe('STORAGE_DENIED');
    }
    expect(readdirSync(join(root, 'notes/data'))).toEqual(['a']);
  });

  it('is refused: unknown operations, areas and paths', async () => {
    const { run } = storageOf();
    for (const params of [
      null,
      [],
      {},
      { op: 'chmod', path: 'a' },
      { op: 'read', path: 1 },
      { op: 'read', path: ['a'] },
      { op: 'read', area: '__proto__', path: 'a' },
      { op: 'write', path: 'a' },
    ]) {
      await expect(run(params, undefined, new AbortController().signal)).rejects.toMatchObject({
        code: 'STORAGE_DENIED',
      });
    }
  });
});

describe('what another process put into a storage', () => {
  async function planted(): Promise<TestStorage & { readonly outside: string }> {
    const outside = makeRoot();
    writeFileSync(join(outside, 'secret'), 'secret');
    const storage = storageOf();
    await storage.ask({ op: 'write', path: 'a' }, 'x');
    const data = join(storage.root, 'notes/data');
    symlinkSync(join(outside, 'secret'), join(data, 'link'));
    symlinkSync(outside, join(data, 'dir'));
    linkSync(join(outside, 'secret'), join(data, 'hard'));
    execFileSync('mkfifo', [join(data, 'pipe')]);
    return { ...storage, outside };
  }

  it('is not read, written, added to, listed or moved over', async () => {
    const { refusal, ask, outside } = await planted();
    for (const path of ['link', 'hard', 'pipe']) {
      for (const op of ['read', 'write', 'append'] as const) {
        expect([op, path, (await refusal({ op, path }, 'y'))[0]]).toEqual([
          op,
          path,
          'STORAGE_DENIED',
        ]);
      }
      expect(await ask({ op: 'stat', path })).toBeNull();
      expect((await refusal({ op: 'move', path: 'a', to: path }))[0]).toBe('STORAGE_DENIED');
      expect((await refusal({ op: 'move', path, to: 'b' }))[0]).toBe('STORAGE_DENIED');
    }
    for (const op of ['read', 'write', 'append', 'mkdir'] as const) {
      expect((await refusal({ op, path: 'dir/secret' }, 'y'))[0]).toMatch(/FAILED|DENIED/);
    }
    expect(await ask({ op: 'delete', path: 'dir/secret' })).toMatchObject({ done: false });
    expect((await refusal({ op: 'list', path: 'dir' }))[0]).not.toBe('allowed');
    expect(await ask({ op: 'list', path: '', recursive: true })).toMatchObject([{ name: 'a' }]);
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  it('may be deleted, and what it leads to stays', async () => {
    const { ask, outside } = await planted();
    for (const path of ['link', 'dir', 'hard', 'pipe']) {
      expect(await ask({ op: 'delete', path, recursive: true })).toMatchObject({ done: true });
    }
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
  });

  it('does not lead out if it replaces the storage’s own directories', async () => {
    const outside = makeRoot();
    mkdirSync(join(outside, 'data'));
    writeFileSync(join(outside, 'data/a'), 'secret');
    const whole = storageOf();
    symlinkSync(outside, join(whole.root, 'notes'));
    expect((await whole.refusal({ op: 'read', path: 'a' }))[0]).not.toBe('allowed');
    const part = storageOf();
    mkdirSync(join(part.root, 'notes'));
    symlinkSync(join(outside, 'data'), join(part.root, 'notes/data'));
    expect((await part.refusal({ op: 'read', path: 'a' }))[0]).not.toBe('allowed');
    expect((await part.refusal({ op: 'write', path: 'b' }, 'x'))[0]).not.toBe('allowed');
    expect(readdirSync(join(outside, 'data'))).toEqual(['a']);
  });

  it('never leads out, however fast it is swapped in', async () => {
    const outside = makeRoot();
    writeFileSync(join(outside, 'a'), 'secret');
    const { root, ask, refusal } = storageOf({ limits: { maxFiles: 1_000_000 } });
    await ask({ op: 'write', path: 'folder/a' }, 'inside');
    const swapper = fork(SWAPPER, [join(root, 'notes/data/folder'), outside]);
    await once(swapper, 'message');
    const seen = new Set<string>();
    const end = performance.now() + 1_000;
    while (performance.now() < end) {
      const [code, text] = await refusal({ op: 'read', path: 'folder/a' });
      seen.add(code === 'allowed' ? text : code);
      await refusal({ op: 'write', path: 'folder/b' }, 'x');
      await refusal({ op: 'append', path: 'folder/a' }, '');
      await refusal({ op: 'delete', path: 'folder/b' });
    }
    swapper.kill('SIGKILL');
    expect([...seen]).toContain('"inside"');
    expect(seen.has('"secret"')).toBe(false);
    expect(readdirSync(outside)).toEqual(['a']);
    expect(readFileSync(join(outside, 'a'), 'utf8')).toBe('secret');
    expect(existsSync(join(outside, 'b'))).toBe(false);
  });
});
