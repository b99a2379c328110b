import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DatabaseParams } from '../../../sandbox/wire/storage.js';
import { makeRefusals } from '../../../src/brokers/storage/refusals.js';
import { prepareCommit } from '../../../src/brokers/storage/redo.js';
import { STORAGE_LIMITS } from '../../../src/brokers/limits.js';
import { storageOf, type TestStorage } from './keeper.js';

const PATH = { path: 'a/x.db' };
const BUSY = ['STORAGE_FAILED', expect.stringMatching(/^EBUSY: a\/x\.db /)];

async function stateOf(storage: TestStorage): Promise<{ stamp: string; bytes: number }> {
  const state = await storage.ask({ op: 'db-state', ...PATH });
  return state as { stamp: string; bytes: number };
}

/** A commit that replaces the whole content. */
async function replacing(
  storage: TestStorage,
  content: string,
): Promise<Extract<DatabaseParams, { op: 'db-commit' }> & typeof PATH> {
  const { stamp } = await stateOf(storage);
  const { length } = content;
  return {
    op: 'db-commit',
    ...PATH,
    stamp,
    token: '',
    size: length,
    kept: 0,
    runs: [[0, length]],
    body: 1,
  };
}

function fileOf({ root }: TestStorage): string {
  return join(root, 'notes/data/a/x.db');
}

describe('a database in a plugin’s storage', () => {
  it('is made empty, with its directories, and only once', async () => {
    const storage = storageOf();
    expect(await storage.refusal({ op: 'db-state', ...PATH })).toEqual([
      'STORAGE_FAILED',
      'ENOENT: a/x.db does not exist.',
    ]);
    expect(await storage.ask({ op: 'db-create', ...PATH })).toMatchObject({ bytes: 0 });
    writeFileSync(fileOf(storage), 'kept');
    expect(await storage.ask({ op: 'db-create', ...PATH })).toMatchObject({ bytes: 4 });
  });

  it('is read in parts, and changed in parts', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'one two three'), 'one two three');
    const { stamp } = await stateOf(storage);
    expect(await storage.ask({ op: 'db-read', ...PATH, stamp, offset: 4, length: 3 })).toBe('two');
    const change = {
      ...(await replacing(storage, '')),
      size: 12,
      kept: 7,
      runs: [
        [0, 3],
        [8, 4],
      ] as const,
    };
    expect(await storage.ask(change, 'ONEfour')).toMatchObject({ bytes: 12 });
    expect(readFileSync(fileOf(storage), 'utf8')).toBe('ONE two\0four');
    expect(await storage.ask({ op: 'usage' })).toMatchObject({ bytes: 12, files: 2 });
  });

  it('is not read or changed on a state that the guest does not know', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    const early = await replacing(storage, 'first');
    await storage.ask(early, 'first');
    const { stamp } = early;
    expect(await storage.refusal({ op: 'db-read', ...PATH, stamp, offset: 0, length: 5 })).toEqual(
      BUSY,
    );
    expect(await storage.refusal(early, 'other')).toEqual(BUSY);
    expect(await storage.refusal({ op: 'db-reserve', ...PATH, stamp })).toEqual(BUSY);
    expect(readFileSync(fileOf(storage), 'utf8')).toBe('first');
  });

  it('has one writer at a time, whose turn ends with its commit', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    const { stamp } = await stateOf(storage);
    const { token } = (await storage.ask({ op: 'db-reserve', ...PATH, stamp })) as {
      token: string;
    };
    const commit = await replacing(storage, 'text');
    expect(await storage.refusal(commit, 'text')).toEqual(BUSY);
    const next = storage.refusal({ op: 'db-reserve', ...PATH, stamp });
    await storage.ask({ ...commit, token }, 'text');
    // It had waited for the turn. By now it knows an old state.
    expect(await next).toEqual(BUSY);
    const { stamp: later } = await stateOf(storage);
    const second = await storage.ask({ op: 'db-reserve', ...PATH, stamp: later });
    expect(second).toEqual({ token: expect.stringMatching(/./) });
  });

  it('frees the turn of a writer that gives it back', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    const { stamp } = await stateOf(storage);
    const { token } = (await storage.ask({ op: 'db-reserve', ...PATH, stamp })) as {
      token: string;
    };
    const next = storage.ask({ op: 'db-reserve', ...PATH, stamp });
    await storage.ask({ op: 'db-release', ...PATH, token });
    expect(await next).toEqual({ token: expect.stringMatching(/./) });
  });

  it('drops a turn that lapsed, and the turn of a database that does not exist', async () => {
    const storage = storageOf();
    const { turns } = storage.stores('notes');
    for (const path of ['a.db', 'b.db']) {
      await storage.ask({ op: 'db-create', path });
      const { stamp } = (await storage.ask({ op: 'db-state', path })) as { stamp: string };
      await storage.ask({ op: 'db-reserve', path, stamp });
    }
    const missing = { op: 'db-reserve' as const, path: 'missing.db', stamp: '' };
    expect(await storage.refusal(missing)).toEqual(['STORAGE_FAILED', expect.any(String)]);
    expect(turns.size).toBe(2);
    const now = performance.now() + 6_000;
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
    onTestFinished(() => clock.mockRestore());
    await storage.ask({ op: 'db-create', path: 'c.db' });
    const { stamp } = (await storage.ask({ op: 'db-state', path: 'c.db' })) as { stamp: string };
    await storage.ask({ op: 'db-reserve', path: 'c.db', stamp });
    expect([...turns.keys()]).toEqual(['data:c.db']);
  });

  it('stays within the limits of a file and of the storage, and as it was', async () => {
    const storage = storageOf({ limits: { maxFileBytes: 64, maxBytes: 80 } });
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'x'.repeat(40)), 'x'.repeat(40));
    const large = { ...(await replacing(storage, 'y')), size: 65, kept: 40 };
    expect(await storage.refusal(large, 'y')).toEqual([
      'STORAGE_LIMIT',
      expect.stringContaining('maxFileBytes'),
    ]);
    const long = 'z'.repeat(65);
    expect(await storage.refusal({ ...(await replacing(storage, long)), size: 65 }, long)).toEqual([
      'STORAGE_LIMIT',
      expect.stringContaining('a transaction is too large'),
    ]);
    await storage.ask({ op: 'write', path: 'other' }, 'o'.repeat(30));
    const grown = 'w'.repeat(60);
    expect(await storage.refusal(await replacing(storage, grown), grown)).toEqual([
      'STORAGE_LIMIT',
      expect.stringContaining('maxBytes'),
    ]);
    expect(readFileSync(fileOf(storage), 'utf8')).toBe('x'.repeat(40));
    expect(await storage.ask({ op: 'usage' })).toMatchObject({ bytes: 70 });
  });

  it('takes no malformed changes, and no more of a file than a megabyte at once', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    const commit = await replacing(storage, 'abcd');
    const runs = (...list: [number, number][]) => ({ ...commit, runs: list });
    for (const malformed of [
      runs([2, 2], [0, 2]),
      runs([0, 2], [1, 2]),
      runs([0, 5]),
      runs([0, -1]),
      { ...commit, size: -1 },
      { ...commit, kept: 0.5 },
      { ...commit, area: 'enclave' as const, path: 'key' },
    ]) {
      expect((await storage.refusal(malformed, 'abcd'))[0]).toBe('STORAGE_DENIED');
    }
    expect((await storage.refusal(commit, 'abc'))[0]).toBe('STORAGE_DENIED');
    expect((await storage.refusal(commit, 'abcde'))[0]).toBe('STORAGE_DENIED');
    const much = 'm'.repeat(1024 * 1024 + 10);
    await storage.ask(await replacing(storage, much), much);
    const { stamp } = await stateOf(storage);
    const read = await storage.ask({ op: 'db-read', ...PATH, stamp, offset: 0, length: 2 ** 30 });
    expect(String(read).length).toBe(1024 * 1024);
  });

  it('reports creates, reads and commits, and not the steps of each transaction', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'text'), 'text');
    const { stamp } = await stateOf(storage);
    await storage.ask({ op: 'db-read', ...PATH, stamp, offset: 0, length: 4 });
    expect(
      storage.records.map(({ what, bytesRead, bytesWritten }) => [what, bytesRead, bytesWritten]),
    ).toEqual([
      ['db-create a/x.db', 0, 0],
      ['db-commit a/x.db', 0, 4],
      ['db-read a/x.db', 4, 0],
    ]);
  });
});

/** Watches how files are synchronised. */
async function spyOnSync(name: 'sync' | 'datasync' = 'sync') {
  const handle = await open(import.meta.filename);
  const prototype: Record<typeof name, () => Promise<void>> = Object.getPrototypeOf(handle);
  await handle.close();
  const spy = vi.spyOn(prototype, name);
  onTestFinished(() => spy.mockRestore());
  return spy;
}

describe('a commit', () => {
  it('is answered after its changes, their name and the file are on the disk, in this order', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'old'), 'old');
    const commit = await replacing(storage, 'new');
    const steps: string[] = [];
    const seen = (): string => {
      const prepared = readdirSync(join(storage.root, 'notes/commits')).length;
      return `${readFileSync(fileOf(storage), 'utf8')}, ${prepared} prepared`;
    };
    const waiting: (() => void)[] = [];
    for (const name of ['sync', 'datasync'] as const) {
      (await spyOnSync(name)).mockImplementation(async () => {
        steps.push(`${name}: ${seen()}`);
        await new Promise<void>((resolve) => waiting.push(resolve));
      });
    }
    const answer = storage.ask(commit, 'new').then(() => steps.push(`answered: ${seen()}`));
    for (const count of [1, 2, 3]) {
      await expect.poll(() => waiting.length).toBe(1);
      expect(steps).toHaveLength(count);
      waiting.shift()?.();
    }
    await answer;
    expect(steps).toEqual([
      'datasync: old, 0 prepared',
      'sync: old, 1 prepared',
      'sync: new, 1 prepared',
      'answered: new, 0 prepared',
    ]);
  });
});

describe('a commit during which the disk fails', () => {
  /** The `count`-th time that a file is synchronised, the disk fails. */
  async function failingSync(count: number): Promise<void> {
    const sync = await spyOnSync();
    for (let calls = 1; calls < count; calls += 1) sync.mockResolvedValueOnce();
    sync.mockRejectedValueOnce(Object.assign(new Error('EIO'), { code: 'EIO' }));
  }

  it('leaves no drafts, and is not done later, if its changes could not be prepared', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'old'), 'old');
    const commit = await replacing(storage, 'new state');
    await failingSync(1);
    expect((await storage.refusal(commit, 'new state'))[0]).toBe('STORAGE_FAILED');
    for (const directory of ['commits', 'tmp']) {
      expect(readdirSync(join(storage.root, 'notes', directory))).toEqual([]);
    }
    expect(await stateOf(storage)).toMatchObject({ bytes: 3 });
    expect(await storage.ask({ op: 'usage' })).toMatchObject({ bytes: 3 });
  });

  it('is finished by the next step, and counted once', async () => {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'old'), 'old');
    const commit = await replacing(storage, 'new state');
    await failingSync(2);
    expect((await storage.refusal(commit, 'new state'))[0]).toBe('STORAGE_FAILED');
    const { size } = statSync(fileOf(storage));
    expect(await storage.ask({ op: 'usage' })).toMatchObject({ bytes: size });
    expect(await stateOf(storage)).toMatchObject({ bytes: 9 });
    expect(readFileSync(fileOf(storage), 'utf8')).toBe('new state');
    expect(await storage.ask({ op: 'usage' })).toMatchObject({ bytes: 9 });
  });
});

describe('a commit that a crash interrupted', () => {
  /** A storage whose engine has prepared a commit and then stopped. */
  async function interrupted(): Promise<TestStorage> {
    const storage = storageOf();
    await storage.ask({ op: 'db-create', ...PATH });
    await storage.ask(await replacing(storage, 'old state'), 'old state');
    const { stamp } = await stateOf(storage);
    const [ino = ''] = stamp.split('-');
    const store = storage.stores('notes');
    const refusals = makeRefusals('notes', STORAGE_LIMITS);
    await prepareCommit(
      { store, refusals, area: 'data', user: '' },
      { path: ['a', 'x.db'] },
      {
        ino,
        size: 12,
        kept: 9,
        runs: [
          [0, 3],
          [9, 3],
        ],
      },
      Buffer.from('NEW!!!'),
    );
    return storage;
  }

  it.each(['before the file changed', 'after half of the changes'])(
    'is finished by the next engine (%s)',
    async (when) => {
      const { root, ...storage } = await interrupted();
      const file = fileOf({ root, ...storage });
      if (when.startsWith('after')) writeFileSync(file, 'NEW state', { flag: 'r+' });
      const next = storageOf({ root });
      expect(await stateOf(next)).toMatchObject({ bytes: 12 });
      expect(readFileSync(file, 'utf8')).toBe('NEW state!!!');
      expect(readdirSync(join(root, 'notes/commits'))).toEqual([]);
      expect(await next.ask({ op: 'usage' })).toMatchObject({ bytes: 12 });
    },
  );

  it('does not change a file that took the place of the database', async () => {
    const { root, ...storage } = await interrupted();
    const file = fileOf({ root, ...storage });
    writeFileSync(`${file}.new`, 'another file');
    renameSync(`${file}.new`, file);
    const next = storageOf({ root });
    expect(await stateOf(next)).toMatchObject({ bytes: 12 });
    expect(readFileSync(file, 'utf8')).toBe('another file');
    expect(readdirSync(join(root, 'notes/commits'))).toEqual([]);
  });

  it('does not count if its changes were not written completely', async () => {
    const { root, ...storage } = await interrupted();
    const [name = ''] = readdirSync(join(root, 'notes/commits'));
    const path = join(root, 'notes/commits', name);
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    const next = storageOf({ root });
    expect(await stateOf(next)).toMatchObject({ bytes: 9 });
    expect(readFileSync(fileOf({ root, ...storage }), 'utf8')).toBe('old state');
  });

  it('is finished before the next commit', async () => {
    const storage = await interrupted();
    const commit = {
      op: 'db-commit' as const,
      ...PATH,
      stamp: 'of before',
      token: '',
      size: 4,
      kept: 0,
      runs: [[0, 4]] as const,
      body: 1,
    };
    expect(await storage.refusal(commit, 'late')).toEqual(BUSY);
    expect(readFileSync(fileOf(storage), 'utf8')).toBe('NEW state!!!');
  });
});
