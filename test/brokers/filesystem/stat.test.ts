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
  it('lists the files and directories of a directory, without links and special files', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data']);
    expect(await broker.inspect({ op: 'list', path: 'data' }, never)).toMatchObject([
      { name: 'a.txt', kind: 'file', bytes: 3 },
      { name: 'deep', kind: 'directory' },
    ]);
  });

  it('says which paths exist and which do not', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data']);
    expect(await broker.inspect({ op: 'stat', path: 'data/a.txt' }, never)).toMatchObject({
      name: 'a.txt',
      bytes: 3,
    });
    expect(await broker.inspect({ op: 'stat', path: 'data/deep/' }, never)).toMatchObject({
      name: 'deep',
      kind: 'directory',
    });
    expect(await broker.inspect({ op: 'stat', path: 'data/none' }, never)).toBeNull();
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
        const code = await broker.inspect({ op, path }, never).then(
          () => 'allowed',
          (error: Error & { code: string }) => error.code,
        );
        expect([op, path, code]).toEqual([op, path, 'FILESYSTEM_DENIED']);
      }
    }
    await expect(broker.inspect({ op: 'list', path: 'data/a.txt' }, never)).rejects.toMatchObject({
      code: 'FILESYSTEM_FAILED',
    });
    await expect(broker.inspect({ op: 'list', path: 1 }, never)).rejects.toMatchObject({
      code: 'FILESYSTEM_DENIED',
    });
  });

  it('reports a path of the plugin’s directory as missing on request, if nothing is there', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data/deep']);
    const codeOf = (path: string, orMissing?: true): Promise<unknown> =>
      broker.inspect({ op: 'list', path, orMissing }, never).catch((error: Error) => error);
    const denied = { code: 'FILESYSTEM_DENIED' };
    expect(await codeOf('none')).toMatchObject(denied);
    expect(await codeOf('none', true)).toMatchObject({ code: 'FILESYSTEM_FAILED' });
    expect(await codeOf('data/a.txt', true)).toMatchObject(denied);
    expect(await codeOf('../none', true)).toMatchObject(denied);
    expect(await codeOf('/none', true)).toMatchObject(denied);
  });

  it('lists entries up to a maximum number', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data'], { maxEntries: 1 });
    expect(await broker.inspect({ op: 'list', path: 'data' }, never)).toHaveLength(1);
  });

  it('ends with the permission', async () => {
    const { plugin } = await tree();
    const broker = brokerIn(plugin, ['data']);
    broker.close();
    await expect(broker.inspect({ op: 'stat', path: 'data' }, never)).rejects.toMatchObject({
      code: 'PERMISSION_REVOKED',
    });
  });
});
