import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceOf, storageOf } from './keeper.js';

describe('a plugin’s storage', () => {
  it('stores what is written, and allows it to be read, listed and inspected', async () => {
    const { ask } = storageOf();
    await ask({ op: 'write', path: 'notes/a.txt' }, 'one');
    await ask({ op: 'append', path: 'notes/a.txt' }, ' two');
    await ask({ op: 'append', path: 'log.txt' }, 'first');
    expect(await ask({ op: 'read', path: './notes//a.txt' })).toBe('one two');
    expect(await ask({ op: 'list', path: '' })).toMatchObject([
      { name: 'log.txt', kind: 'file', bytes: 5 },
      { name: 'notes', kind: 'directory' },
    ]);
    expect(await ask({ op: 'list', path: '', recursive: true })).toMatchObject([
      { name: 'log.txt' },
      { name: 'notes' },
      { name: 'notes/a.txt', bytes: 7 },
    ]);
    expect(await ask({ op: 'stat', path: 'notes/a.txt' })).toMatchObject({
      name: 'a.txt',
      kind: 'file',
      bytes: 7,
    });
  });

  it('distinguishes missing files from refused ones', async () => {
    const { ask, refusal } = storageOf();
    expect(await ask({ op: 'stat', path: 'a/b/c' })).toBeNull();
    expect(await ask({ op: 'delete', path: 'a/b' })).toMatchObject({ done: false });
    expect(await ask({ op: 'list', path: '' })).toEqual([]);
    expect(await refusal({ op: 'read', path: 'a' })).toEqual([
      'STORAGE_FAILED',
      'ENOENT: a does not exist.',
    ]);
    expect(await refusal({ op: 'list', path: 'a' })).toEqual([
      'STORAGE_FAILED',
      'ENOENT: a does not exist.',
    ]);
  });

  it('replaces a file whole or not at all', async () => {
    const { ask, refusal, root } = storageOf();
    await ask({ op: 'write', path: 'a' }, 'before');
    const breaksOff = {
      ...sourceOf(),
      pull: async (): Promise<Uint8Array> => {
        throw new Error('the guest died');
      },
    };
    expect((await refusal({ op: 'write', path: 'a' }, breaksOff))[0]).toBe('STORAGE_FAILED');
    expect((await refusal({ op: 'append', path: 'a' }, breaksOff))[0]).toBe('STORAGE_FAILED');
    expect(await ask({ op: 'read', path: 'a' })).toBe('before');
    expect(readdirSync(join(root, 'notes/tmp'))).toEqual([]);
  });

  it('does not change a file if an append to it is aborted', async () => {
    const { ask, refusal } = storageOf({ limits: { maxFileBytes: 8 } });
    await ask({ op: 'write', path: 'a' }, 'before');
    const parts = sourceOf(Buffer.from('12'), Buffer.from('3'));
    expect((await refusal({ op: 'append', path: 'a' }, parts))[0]).toBe('STORAGE_LIMIT');
    expect(await ask({ op: 'read', path: 'a' })).toBe('before');
  });

  it('moves files and directories, and never into themselves or over a directory', async () => {
    const { ask, refusal } = storageOf();
    await ask({ op: 'write', path: 'a/x' }, 'x');
    await ask({ op: 'write', path: 'b' }, 'b');
    await ask({ op: 'move', path: 'a', to: 'c/d' });
    await ask({ op: 'move', path: 'b', to: 'c/d/x' });
    expect(await ask({ op: 'read', path: 'c/d/x' })).toBe('b');
    await ask({ op: 'move', path: 'c', to: 'c' });
    expect((await refusal({ op: 'move', path: 'c', to: 'c/d/e' }))[1]).toMatch(/^EINVAL/);
    await ask({ op: 'write', path: 'f' }, 'f');
    expect((await refusal({ op: 'move', path: 'f', to: 'c' }))[1]).toMatch(/^EEXIST/);
    expect((await refusal({ op: 'move', path: 'c', to: 'f' }))[1]).toMatch(/^EEXIST/);
    expect((await refusal({ op: 'move', path: 'f', to: 'c/d/x', replace: false }))[1]).toMatch(
      /^EEXIST/,
    );
    expect((await refusal({ op: 'move', path: 'gone', to: 'x' }))[1]).toMatch(/^ENOENT/);
  });

  it('deletes a directory that is not empty only on request', async () => {
    const { ask, refusal } = storageOf();
    await ask({ op: 'write', path: 'a/b/c' }, 'x');
    expect((await refusal({ op: 'delete', path: 'a' }))[1]).toMatch(/^ENOTEMPTY/);
    expect(await ask({ op: 'delete', path: 'a', recursive: true })).toMatchObject({ done: true });
    expect(await ask({ op: 'usage' })).toMatchObject({ bytes: 0, files: 0 });
  });

  it('takes a file for no directory, and a directory for no file', async () => {
    const { ask, refusal } = storageOf();
    await ask({ op: 'write', path: 'a' }, 'x');
    await ask({ op: 'mkdir', path: 'd/e' });
    await ask({ op: 'mkdir', path: 'd/e' });
    for (const [params, errno] of [
      [{ op: 'write', path: 'a/b' }, 'ENOTDIR'],
      [{ op: 'write', path: 'd' }, 'EISDIR'],
      [{ op: 'append', path: 'd' }, 'EISDIR'],
      [{ op: 'read', path: 'd' }, 'EISDIR'],
      [{ op: 'read', path: '' }, 'EISDIR'],
      [{ op: 'list', path: 'a' }, 'ENOTDIR'],
      [{ op: 'mkdir', path: 'a' }, 'EEXIST'],
    ] as const) {
      expect([params, (await refusal(params, 'x'))[1]]).toEqual([
        params,
        expect.stringMatching(new RegExp(`^${errno}: `)),
      ]);
    }
  });

  it('is recorded with its bytes in each direction and no content', async () => {
    const { ask, refusal, records } = storageOf();
    await ask({ op: 'write', path: 'a\n'.trim() }, 'secret');
    await ask({ op: 'read', path: 'a' });
    await refusal({ op: 'read', path: '../b\n' });
    expect(records).toMatchObject([
      { what: 'write a', outcome: 'allowed', bytesWritten: 6 },
      { what: 'read a', outcome: 'allowed', bytesRead: 6 },
      { what: 'read ../b\\n', outcome: 'denied' },
    ]);
    expect(JSON.stringify(records)).not.toContain('secret');
  });

  it('refuses everything after the permission is revoked, also running requests', async () => {
    const { ask, refusal, close } = storageOf();
    await ask({ op: 'write', path: 'a' }, 'x');
    const stalls = { ...sourceOf(), pull: () => new Promise<undefined>(() => {}) };
    const writing = refusal({ op: 'write', path: 'a' }, stalls);
    const waiting = refusal({ op: 'write', path: 'b' }, 'y');
    await ask({ op: 'stat', path: 'a' });
    close();
    for (const refused of [writing, waiting, refusal({ op: 'stat', path: 'a' })]) {
      expect(await refused).toEqual([
        'PERMISSION_REVOKED',
        'The storage permission of notes was revoked.',
      ]);
    }
  });

  it('continues for other calls if one operation is abandoned', async () => {
    const { run, ask } = storageOf();
    const controller = new AbortController();
    const stalls = { ...sourceOf(), pull: () => new Promise<undefined>(() => {}) };
    const writing = run({ op: 'write', path: 'a' }, stalls, controller.signal);
    const next = ask({ op: 'write', path: 'a' }, 'next');
    controller.abort();
    await expect(writing).rejects.toMatchObject({ code: 'CANCELLED' });
    await next;
    expect(await ask({ op: 'read', path: 'a' })).toBe('next');
  });

  it('finds the data of an earlier process, and removes its drafts', async () => {
    const first = storageOf();
    await first.ask({ op: 'write', path: 'a' }, 'kept');
    writeFileSync(join(first.root, 'notes/tmp/draft'), 'half');
    const second = storageOf({ root: first.root });
    expect(await second.ask({ op: 'usage' })).toMatchObject({ bytes: 4, files: 1 });
    expect(await second.ask({ op: 'read', path: 'a' })).toBe('kept');
    expect(readdirSync(join(first.root, 'notes'))).not.toContain('tmp');
    expect(readFileSync(join(first.root, 'notes/data/a'), 'utf8')).toBe('kept');
  });
});
