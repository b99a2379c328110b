/** The record of the files that calls of one plugin wrote. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fileStamp } from '../../src/brokers/file-stamp.js';
import { makeStorageBroker } from '../../src/brokers/storage/broker.js';
import { makeStores } from '../../src/brokers/storage/store.js';
import { STORAGE_LIMITS } from '../../src/brokers/limits.js';
import { makeWrittenFiles, type WrittenFiles } from '../../src/brokers/written-files.js';
import { filesOf } from '../../src/engine/files.js';
import { sourceOf } from './storage/keeper.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-written-'));
afterAll(() => rmSync(root, { recursive: true }));

const NOWHERE = () => Promise.reject(new Error('not opened here'));
const describeKey = (key: string) => ({ path: key, open: NOWHERE });

function write(files: WrittenFiles, key: string, call = 'c1', tenant?: string): void {
  const end = files.changing({ op: 'write', key }, { calls: [call], tenant }, describeKey);
  end({ bytes: 1, existed: false, stamp: '' });
}

describe('written files', () => {
  it('are at most 1,000 of a plugin: the oldest is forgotten', () => {
    const files = makeWrittenFiles();
    for (let at = 0; at < 1_200; at += 1) write(files, `k${at}`);
    expect(files.list()).toHaveLength(1_000);
    expect(files.list()[0]?.path).toBe('k200');
  });

  it('name at most 16 calls each', () => {
    const files = makeWrittenFiles();
    write(files, 'log', 'c0');
    for (let at = 1; at < 40; at += 1) {
      const maker = { calls: [`c${at}`], tenant: undefined };
      files.changing(
        { op: 'append', key: 'log' },
        maker,
        describeKey,
      )({ bytes: 1, existed: true, stamp: '' });
    }
    expect(files.list()).toMatchObject([{ bytes: 40 }]);
    expect(files.list()[0]?.calls).toHaveLength(16);
    expect(files.list()[0]?.calls.at(-1)).toBe('c39');
  });

  it('are not listed while they change, and come back if nothing changed', () => {
    const files = makeWrittenFiles();
    write(files, 'a/one');
    const [before] = files.list();
    const end = files.changing({ op: 'delete', key: 'a' }, undefined, describeKey);
    expect(files.list()).toEqual([]);
    expect(files.get(before?.id ?? '')).toBeUndefined();
    end(undefined);
    expect(files.list()).toEqual([before]);
    // Of a directory with a similar name nothing is deleted.
    files.changing(
      { op: 'delete', key: 'a/o' },
      undefined,
      describeKey,
    )({ bytes: 0, existed: true, stamp: '' });
    expect(files.list()).toEqual([before]);
  });

  it('are forgotten if code writes them between calls', () => {
    const files = makeWrittenFiles();
    write(files, 'one');
    files.changing(
      { op: 'write', key: 'one' },
      undefined,
      describeKey,
    )({ bytes: 9, existed: true, stamp: '' });
    expect(files.list()).toEqual([]);
  });

  it('stay with their tenant when a call of another one moves them', () => {
    const files = makeWrittenFiles();
    write(files, 'one', 'c1', 'a');
    const mover = { calls: ['c2'], tenant: 'b' };
    const move = { op: 'move', key: 'one', to: 'two' } as const;
    files.changing(move, mover, describeKey)({ bytes: 0, existed: true, stamp: '' });
    expect(files.list()).toMatchObject([{ path: 'two', tenant: 'a', calls: ['c1'] }]);
  });
});

it('a file that changes while it is opened is not given out', async () => {
  const path = join(root, 'swapped');
  writeFileSync(path, 'of another tenant');
  const files = makeWrittenFiles();
  const opened: Awaited<ReturnType<typeof open>>[] = [];
  const end = files.changing({ op: 'write', key: 'k' }, { calls: ['c1'], tenant: 'a' }, () => ({
    path: 'k',
    open: async () => {
      const handle = await open(path);
      opened.push(handle);
      write(files, 'k', 'c2', 'b');
      return { handle, bytes: 17 };
    },
  }));
  const handle = await open(path);
  end({ bytes: 17, existed: false, stamp: await fileStamp(handle) });
  await handle.close();
  const ofA = filesOf('p', { tenant: 'a' }, { ids: ['p'], written: files });
  expect(await ofA.open(ofA.list()[0]?.id ?? '')).toBeUndefined();
  // The file was closed.
  await expect(opened[0]?.stat()).rejects.toMatchObject({ code: 'EBADF' });
});

it('values of enclaves are no files', async () => {
  const written = makeWrittenFiles();
  const store = makeStores(root, STORAGE_LIMITS)('p');
  const identity = { id: 'p', manifest: 'plugin.json' };
  const broker = makeStorageBroker({ plugin: identity, store, written });
  const { signal } = new AbortController();
  const maker = { calls: ['c1'], tenant: undefined };
  for (const place of [
    { area: 'enclave' },
    { area: 'user', user: 'enclave of u1' },
    { area: 'user', user: 'u1' },
  ]) {
    const params = { op: 'write', path: 'key', ...place };
    await broker.run(params, sourceOf(Buffer.from('value')), signal, {}, maker);
  }
  expect(written.list().map(({ path, bytes }) => [path, bytes])).toEqual([['key', 5]]);
});
