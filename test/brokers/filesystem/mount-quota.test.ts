import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FilesystemLimits } from '../../../src/brokers/limits.js';
import { sourceOf } from '../storage/keeper.js';
import { brokerIn, makeTree } from './tree.js';

type Change = readonly [op: string, path: string, more?: string];

/** A plugin that may write below `ws`. `run` answers the limit that refuses one of the changes. */
async function start(limits: Partial<FilesystemLimits>) {
  const { root, plugin } = await makeTree({ 'plugin/a': '', 'ws/user.txt': 'x'.repeat(100) });
  const ws = join(root, 'ws');
  const broker = brokerIn(plugin, [`${ws}:rw`], limits);
  const run = async (...changes: Change[]): Promise<unknown> => {
    for (const [op, path, more = ''] of changes) {
      const to = op === 'move' ? { to: join(ws, more) } : { recursive: true };
      const content = op === 'write' || op === 'append' ? sourceOf(Buffer.from(more)) : undefined;
      const params = { op, path: join(ws, path), ...to };
      try {
        await broker.change(params, content, new AbortController().signal);
      } catch (error) {
        if (!(error instanceof Error && 'details' in error)) throw error;
        return (error.details as { limit?: string }).limit ?? error.message;
      }
    }
    return 'done';
  };
  return { ws, broker, run };
}

describe('what a plugin adds to its writable mounts', () => {
  it('has a cap of bytes, which what it removes again does not use', async () => {
    const { run, ws } = await start({ maxMountBytes: 1_000 });
    const half = 'y'.repeat(500);
    expect(await run(['write', 'a', half], ['append', 'b', half])).toBe('done');
    expect(await run(['append', 'b', 'z'])).toBe('maxMountBytes');
    expect(await run(['write', 'c', 'z'])).toBe('maxMountBytes');
    expect(existsSync(join(ws, 'c'))).toBe(false);
    expect(statSync(join(ws, 'b')).size).toBe(500);
    // The same bytes again, fewer, and those of a file that is replaced.
    expect(
      await run(['write', 'a', half], ['write', 'a', 'y'], ['write', 'c', 'y'.repeat(499)]),
    ).toBe('done');
    expect(await run(['move', 'c', 'b'], ['mkdir', 'd'], ['write', 'd/e', half])).toBe('done');
    expect(await run(['append', 'd/e', 'z'])).toBe('maxMountBytes');
    expect(await run(['delete', 'd'], ['write', 'f', half])).toBe('done');
  });

  it('has a cap of files and directories, also of those on the way', async () => {
    const { run, ws } = await start({ maxMountFiles: 4 });
    expect(await run(['write', 'a/b/c', 'x'], ['append', 'd', 'x'])).toBe('done');
    expect(await run(['append', 'd', 'x'], ['write', 'a/b/c', 'y'])).toBe('done');
    for (const change of [
      ['write', 'e', 'x'],
      ['append', 'e', 'x'],
      ['mkdir', 'e'],
      ['write', 'a/e/f', 'x'],
    ] as const) {
      expect([change, await run(change)]).toEqual([change, 'maxMountFiles']);
    }
    expect(existsSync(join(ws, 'a/e'))).toBe(false);
    expect(await run(['delete', 'a'], ['mkdir', 'e'], ['mkdir', 'f'], ['mkdir', 'g'])).toBe('done');
    expect(await run(['mkdir', 'h'])).toBe('maxMountFiles');
  });

  it('gets no room from the files of others', async () => {
    const { run } = await start({ maxMountBytes: 50, maxMountFiles: 1 });
    expect(await run(['delete', 'user.txt'], ['write', 'a', 'x'.repeat(51)])).toBe('maxMountBytes');
    expect(await run(['write', 'a', 'x'.repeat(50)], ['write', 'b', ''])).toBe('maxMountFiles');
  });

  it('says which option raises it', async () => {
    const { broker, ws } = await start({ maxMountBytes: 1 });
    const params = { op: 'write', path: join(ws, 'a') };
    const change = broker.change(params, sourceOf(Buffer.from('ab')), new AbortController().signal);
    await expect(change).rejects.toThrow(
      'A file operation of weather was stopped: its mounts have no room for more bytes. ' +
        'The limit maxMountBytes is 1; the operator can raise limits.maxMountBytes.',
    );
  });
});

describe('a file in a writable mount', () => {
  it('does not exceed the cap of a file by appending', async () => {
    const { run, ws } = await start({ maxFileBytes: 10 });
    expect(await run(['append', 'a', '12345'], ['append', 'a', '67890'])).toBe('done');
    expect(await run(['append', 'a', 'x'])).toBe('maxFileBytes');
    expect(await run(['append', 'user.txt', 'x'])).toBe('maxFileBytes');
    expect(readFileSync(join(ws, 'a'), 'utf8')).toBe('1234567890');
  });

  it('is as it was after an append that failed, and the append is not counted', async () => {
    const { run, ws } = await start({ maxMountBytes: 10 });
    const handle = await open(import.meta.filename);
    const prototype: { appendFile: (content: Uint8Array) => Promise<void> } =
      Object.getPrototypeOf(handle);
    await handle.close();
    const append = vi.spyOn(prototype, 'appendFile').mockImplementationOnce(async () => {
      writeFileSync(join(ws, 'a'), 'half', { flag: 'a' });
      throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
    });
    onTestFinished(() => append.mockRestore());
    expect(await run(['write', 'a', '12345'], ['append', 'a', '67890'])).toContain(
      'the disk is full',
    );
    expect(readFileSync(join(ws, 'a'), 'utf8')).toBe('12345');
    expect(await run(['append', 'a', '67890'])).toBe('done');
    expect(await run(['append', 'a', 'x'])).toBe('maxMountBytes');
  });
});
