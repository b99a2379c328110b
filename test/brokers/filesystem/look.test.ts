import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree } from './tree.js';

const never = new AbortController().signal;

async function tree() {
  const made = await makeTree({
    'plugin/data/a.txt': 'abc',
    'plugin/data/deep/b.txt': 'b',
    'plugin/data-secrets/c.txt': 'c',
    'outside/d.txt': 'd',
  });
  symlinkSync(`${made.root}/outside`, `${made.plugin}/data/out`);
  symlinkSync('a.txt', `${made.plugin}/data/link`);
  execFileSync('mkfifo', [`${made.plugin}/data/pipe`]);
  return made;
}

describe('looking at what is granted', () => {
  it('lists a directory: files and directories, neither links nor what is no file', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data']);
    expect(await broker.look({ op: 'list', path: 'data' }, never)).toMatchObject([
      { name: 'a.txt', kind: 'file', bytes: 3 },
      { name: 'deep', kind: 'directory' },
    ]);
  });

  it('tells what is there, and what is not', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data']);
    expect(await broker.look({ op: 'stat', path: 'data/a.txt' }, never)).toMatchObject({
      name: 'a.txt',
      bytes: 3,
    });
    expect(await broker.look({ op: 'stat', path: 'data/deep/' }, never)).toMatchObject({
      name: 'deep',
      kind: 'directory',
    });
    expect(await broker.look({ op: 'stat', path: 'data/none' }, never)).toBeNull();
    expect(broker.active).toBe(0);
  });

  it('refuses everything else, in the same words whether it is there or not', async () => {
    const { plugin, root } = await tree();
    const broker = brokerIn(plugin, ['data']);
    for (const path of [
      'data-secrets',
      '.',
      '..',
      `${root}/outside`,
      'data/out',
      'data/out/d.txt',
      '/proc/self',
      'data/../data-secrets/c.txt',
    ]) {
      for (const op of ['stat', 'list']) {
        const code = await broker.look({ op, path }, never).then(
          () => 'allowed',
          (error: Error & { code: string }) => error.code,
        );
        expect([op, path, code]).toEqual([op, path, 'FILESYSTEM_DENIED']);
      }
    }
    await expect(broker.look({ op: 'list', path: 'data/a.txt' }, never)).rejects.toMatchObject({
      code: 'FILESYSTEM_FAILED',
    });
    await expect(broker.look({ op: 'list', path: 1 }, never)).rejects.toMatchObject({
      code: 'FILESYSTEM_DENIED',
    });
  });

  it('names what of the plugin’s own is granted, as far as it is there', async () => {
    const { plugin, root } = await tree();
    const broker = brokerIn(plugin, ['data/deep', 'none', `${root}/outside`]);
    expect(await broker.look({ op: 'roots', path: '.' }, never)).toMatchObject([
      { name: 'data/deep', kind: 'directory' },
    ]);
  });

  it('lists at most so many entries', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data'], { maxEntries: 1 });
    expect(await broker.look({ op: 'list', path: 'data' }, never)).toHaveLength(1);
  });

  it('ends with the permission', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data']);
    broker.close();
    await expect(broker.look({ op: 'stat', path: 'data' }, never)).rejects.toMatchObject({
      code: 'PERMISSION_REVOKED',
    });
  });
});
