import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

describe('a file', () => {
  it('has a maximum length', async () => {
    const { plugin } = await makeTree({ 'plugin/a': 'x'.repeat(11), 'plugin/b': 'x'.repeat(10) });
    const broker = brokerIn(plugin, ['.'], { maxFileBytes: 10 });
    expect(await textOf(broker.read('b'))).toHaveLength(10);
    await expect(broker.read('a')).rejects.toMatchObject({
      code: 'FILESYSTEM_LIMIT',
      message: expect.stringContaining('maxFileBytes is 10'),
    });
    expect(broker.active).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    'is counted as it is read if its stated size is wrong',
    async () => {
      const { plugin } = await makeTree({ 'plugin/a': '' });
      const broker = brokerIn(plugin, ['/proc/cpuinfo'], { maxFileBytes: 10 });
      const content = await broker.read('/proc/cpuinfo');
      expect(content.bytes).toBe(0);
      await expect(textOf(Promise.resolve(content))).rejects.toMatchObject({
        details: { limit: 'maxFileBytes' },
      });
    },
  );

  it('that is open is one of a few; the next waits, and too many are refused', async () => {
    const { plugin } = await makeTree({ 'plugin/a': 'a' });
    const broker = brokerIn(plugin, ['.'], { maxOpenFiles: 1, maxQueued: 1 });
    const first = await broker.read('a');
    const second = broker.read('a');
    await expect(broker.read('a')).rejects.toMatchObject({ details: { limit: 'maxQueued' } });
    first.body.cancel('enough');
    expect(await textOf(second)).toBe('a');
  });
});

describe('a read that is given up', () => {
  it('before it began opens nothing', async () => {
    const { plugin } = await makeTree({ 'plugin/a': 'a' });
    const broker = brokerIn(plugin, ['.']);
    await expect(broker.read('a', AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it('midway closes the file', async () => {
    const { plugin } = await makeTree({ 'plugin/a': 'a'.repeat(200_000) });
    const broker = brokerIn(plugin, ['.']);
    const giveUp = new AbortController();
    const { body } = await broker.read('a', giveUp.signal);
    await body.pull();
    giveUp.abort();
    await expect(body.pull()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(broker.active).toBe(0);
    expect(broker.records).toMatchObject([{ outcome: 'failed', bytes: 65_536 }]);
  });
});

describe('a closed broker', () => {
  it('closes what is open and reads no more', async () => {
    const { plugin } = await makeTree({ 'plugin/a': 'a'.repeat(200_000) });
    const broker = brokerIn(plugin, ['.']);
    const { body } = await broker.read('a');
    broker.close();
    await expect(body.pull()).rejects.toMatchObject({ code: 'PERMISSION_REVOKED' });
    await expect(broker.read('a')).rejects.toMatchObject({ code: 'PERMISSION_REVOKED' });
    expect(broker.active).toBe(0);
  });
});

describe('a descriptor', () => {
  it.runIf(process.platform === 'linux')('is closed after every read, refused or not', async () => {
    const { plugin } = await makeTree({ 'plugin/a': 'aaaa', 'plugin/d/x': '' });
    const broker = brokerIn(plugin, ['.'], { maxFileBytes: 3 });
    const openFiles = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const before = await openFiles();
    for (const path of ['a', 'd', 'd/x', 'nothing']) {
      await textOf(broker.read(path)).catch(() => {});
    }
    await expect.poll(openFiles).toBe(before);
  });
});

describe('the record of a read', () => {
  it('says which file was read for whom, or why not', async () => {
    const { plugin } = await makeTree({ 'plugin/data/a': 'abc' });
    const broker = brokerIn(plugin, ['data']);
    await textOf(broker.read('data/a'));
    await broker.read('../b\n').catch(() => {});
    expect(broker.records).toEqual([
      {
        type: 'filesystem',
        plugin: 'weather',
        path: '"data/a"',
        outcome: 'allowed',
        bytes: 3,
        durationMs: expect.any(Number),
        realPath: `${plugin}/data/a`,
      },
      {
        type: 'filesystem',
        plugin: 'weather',
        path: '"../b\\n"',
        outcome: 'denied',
        bytes: 0,
        durationMs: expect.any(Number),
        reason: expect.stringContaining('FILESYSTEM_DENIED'),
      },
    ]);
  });
});
