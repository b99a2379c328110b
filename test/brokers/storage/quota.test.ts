import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { inTime } from '../../../src/brokers/storage/arriving.js';
import { sourceOf, storageOf } from './keeper.js';

const KB = Buffer.alloc(1000, 'x').toString();

describe('the quota of a storage', () => {
  it('counts the bytes of all files, exactly', async () => {
    const { ask, refusal } = storageOf({ limits: { maxBytes: 2_000 } });
    await ask({ op: 'write', path: 'a' }, KB);
    await ask({ op: 'append', path: 'b' }, KB);
    expect(await refusal({ op: 'append', path: 'b' }, 'x')).toEqual([
      'STORAGE_LIMIT',
      'The storage of notes reached a limit: there is no room for b. The limit maxBytes is 2000; the operator can raise limits.maxStorageBytes.',
    ]);
    expect((await refusal({ op: 'write', path: 'c' }, 'x'))[0]).toBe('STORAGE_LIMIT');
    await ask({ op: 'write', path: 'a' }, KB.replaceAll('x', 'y'));
    await ask({ op: 'write', path: 'c' }, '');
    await ask({ op: 'delete', path: 'a' });
    await ask({ op: 'write', path: 'c' }, KB);
    expect(await ask({ op: 'usage' })).toEqual({
      bytes: 2_000,
      files: 2,
      maxBytes: 2_000,
      maxFiles: 10_000,
    });
  });

  it('counts files and directories, in every area and of every user', async () => {
    const { ask, refusal } = storageOf({ limits: { maxFiles: 4 } });
    await ask({ op: 'write', path: 'a/b' }, '');
    await ask({ op: 'write', area: 'user', user: 'ann', path: 'a' }, '');
    for (const params of [
      { op: 'write', path: 'c' },
      { op: 'append', path: 'c' },
      { op: 'mkdir', path: 'c' },
      { op: 'write', area: 'user', user: 'bob', path: 'a' },
      { op: 'write', area: 'enclave', path: 'k' },
    ] as const) {
      expect([params, (await refusal(params, 'x'))[0]]).toEqual([params, 'STORAGE_LIMIT']);
    }
    await ask({ op: 'delete', path: 'a', recursive: true });
    await ask({ op: 'move', area: 'user', user: 'ann', path: 'a', to: 'b' });
    expect(await ask({ op: 'usage' })).toMatchObject({ files: 2 });
  });

  it('ends a write whose content does not arrive, because other changes wait for it', async () => {
    const { ask, refusal, root } = storageOf({ limits: { contentMs: 50 } });
    for (const op of ['write', 'append'] as const) {
      const chunks = [Promise.resolve(Buffer.from('a')), new Promise<undefined>(() => {})];
      const stalls = { ...sourceOf(), pull: async () => chunks.shift() };
      const [stalled] = await Promise.all([
        refusal({ op, path: 'a' }, stalls),
        ask({ op: 'write', path: 'b' }, 'b'),
      ]);
      expect(stalled).toEqual([
        'STORAGE_LIMIT',
        'The storage of notes reached a limit: the content of a write did not arrive in time. The limit contentMs is 50; it is fixed.',
      ]);
    }
    expect(await ask({ op: 'read', path: 'b' })).toBe('b');
    expect(await ask({ op: 'read', path: 'a' })).toBe('');
    expect(readdirSync(join(root, 'notes/tmp'))).toEqual([]);
  });

  it('counts the waits for content, and not a slow disk', async () => {
    const limit = new Error('too late');
    const context = { store: { limits: { contentMs: 50 } }, refusals: { limit: () => limit } };
    const chunk = (ms: number) => async (): Promise<Buffer> => {
      await pause(ms);
      return Buffer.from('a');
    };
    const slowDisk = async (timely: () => Promise<unknown>): Promise<unknown> => {
      await pause(150);
      return timely();
    };
    expect(await inTime(context as never, chunk(0), slowDisk)).toEqual(Buffer.from('a'));
    const threeChunks = async (timely: () => Promise<unknown>): Promise<void> => {
      for (let n = 0; n < 3; n += 1) await timely();
    };
    await expect(inTime(context as never, chunk(40), threeChunks)).rejects.toBe(limit);
  });

  it('is counted to twice of it at most, of what was there before it was lowered', async () => {
    const { ask, root } = storageOf();
    for (let n = 0; n < 9; n += 1) await ask({ op: 'write', path: String(n) }, 'x');
    const lowered = storageOf({ root, limits: { maxFiles: 3 } });
    expect(await lowered.ask({ op: 'usage' })).toMatchObject({ files: 6, maxFiles: 3 });
    expect((await lowered.refusal({ op: 'write', path: 'd' }, 'x'))[0]).toBe('STORAGE_LIMIT');
  });

  it('is one for all that a plugin’s guests write at once', async () => {
    const first = storageOf({ limits: { maxBytes: 5_000 } });
    const second = storageOf({ stores: first.stores, root: first.root });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? first : second).refusal({ op: 'write', path: `f${index}` }, KB),
      ),
    );
    expect(answers.filter(([code]) => code === 'allowed')).toHaveLength(5);
    expect(await second.ask({ op: 'usage' })).toMatchObject({ bytes: 5_000, files: 5 });
  });

  it('stops content that never ends before it is on the disk', async () => {
    const { refusal, ask } = storageOf({ limits: { maxFileBytes: 10_000 } });
    let pulled = 0;
    const endless = {
      pull: async () => {
        pulled += 1;
        return Buffer.alloc(4_000);
      },
      cancel: () => {},
    };
    expect((await refusal({ op: 'write', path: 'a' }, endless))[1]).toMatch(
      /maxFileBytes is 10000/,
    );
    expect((await refusal({ op: 'append', path: 'b' }, endless))[0]).toBe('STORAGE_LIMIT');
    expect(pulled).toBe(6);
    expect(await ask({ op: 'usage' })).toMatchObject({ bytes: 0 });
  });

  it('bounds how deep directories lie, also by moving them into one another', async () => {
    const { ask, refusal } = storageOf({ limits: { maxDepth: 4 } });
    await ask({ op: 'mkdir', path: 'a/b/c/d' });
    expect((await refusal({ op: 'mkdir', path: 'a/b/c/d/e' }))[1]).toMatch(/maxDepth/);
    await ask({ op: 'mkdir', path: 'x/y' });
    expect((await refusal({ op: 'move', path: 'a', to: 'x/y/z' }))[1]).toMatch(/maxDepth/);
    await ask({ op: 'move', path: 'x', to: 'a/b/x' });
    expect((await refusal({ op: 'move', path: 'a', to: 'z/a' }))[1]).toMatch(/maxDepth/);
  });

  it('bounds paths, and operations at once', async () => {
    const { refusal } = storageOf({ limits: { maxActive: 1, maxQueued: 1, maxPathBytes: 20 } });
    expect((await refusal({ op: 'stat', path: 'é'.repeat(11) }))[1]).toMatch(/maxPathBytes is 20/);
    const stalls = { ...sourceOf(), pull: () => new Promise<undefined>(() => {}) };
    void refusal({ op: 'write', path: 'a' }, stalls);
    void refusal({ op: 'stat', path: 'a' });
    expect((await refusal({ op: 'stat', path: 'a' }))[1]).toMatch(/maxQueued is 1/);
  });
});

describe('a storage directory of several engines', () => {
  it('has one quota', async () => {
    const first = storageOf({ limits: { maxBytes: 10_000 } });
    const engines = [
      first,
      ...[1, 2, 3].map(() => storageOf({ root: first.root, limits: { maxBytes: 10_000 } })),
    ];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (engines[index % 4] ?? first).refusal({ op: 'write', path: `f${index}` }, KB),
      ),
    );
    const codes = answers.map(([code]) => code);
    expect(codes.filter((code) => code === 'STORAGE_LIMIT').length).toBe(30);
    for (const { ask } of engines)
      expect(await ask({ op: 'usage' })).toMatchObject({ bytes: 10_000 });
    await engines[1]?.ask({ op: 'delete', path: String(await nameOf(first)) });
    expect(await engines[2]?.ask({ op: 'write', path: 'again' }, KB)).toMatchObject({ done: true });
    expect(await first.ask({ op: 'usage' })).toMatchObject({ bytes: 10_000 });
    expect((await engines[3]?.refusal({ op: 'write', path: 'more' }, 'x'))?.[0]).toBe(
      'STORAGE_LIMIT',
    );
  });

  it('keeps the draft of an engine while another one starts', async () => {
    const first = storageOf();
    await first.ask({ op: 'write', path: 'a' }, 'a');
    const pulls: ((chunk: Uint8Array | undefined) => void)[] = [];
    const content = {
      pull: () =>
        new Promise<Uint8Array | undefined>((resolve) => {
          pulls.push(resolve);
        }),
      cancel: () => {},
    };
    const writing = first.refusal({ op: 'write', path: 'b' }, content);
    await expect.poll(() => pulls.length).toBe(1);
    pulls[0]?.(Buffer.from('half'));
    // It asks for more when it has written that.
    await expect.poll(() => pulls.length).toBe(2);
    const second = storageOf({ root: first.root });
    const usage = second.ask({ op: 'usage' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    pulls[1]?.(undefined);
    expect((await writing)[0]).toBe('allowed');
    expect(await usage).toMatchObject({ bytes: 5, files: 2 });
    expect(await second.ask({ op: 'read', path: 'b' })).toBe('half');
  });

  it('gives its guests the changes of the other engines', async () => {
    const first = storageOf();
    const second = storageOf({ root: first.root });
    await first.ask({ op: 'write', path: 'a' }, 'one');
    const before = (await second.ask({ op: 'copy' })) as { generation: number; content: string };
    expect(before.content).toBe('one');
    await first.ask({ op: 'write', path: 'a' }, 'two');
    const after = (await second.ask({ op: 'copy', since: before.generation })) as typeof before;
    expect(after.content).toBe('two');
  });

  it('counts again after a process that died during a change', async () => {
    const first = storageOf();
    await first.ask({ op: 'write', path: 'a' }, KB);
    rmSync(join(first.root, 'notes', 'usage.json'));
    writeFileSync(join(first.root, 'notes', 'data', 'b'), KB);
    expect(await first.ask({ op: 'usage' })).toMatchObject({ bytes: 2_000, files: 2 });
  });
});

async function nameOf({ ask }: ReturnType<typeof storageOf>): Promise<string | undefined> {
  const entries = (await ask({ op: 'list', path: '' })) as { name: string }[];
  return entries[0]?.name;
}
