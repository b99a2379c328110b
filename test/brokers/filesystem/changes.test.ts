import { appendFile, mkdir, readdir, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

const DENIED = { code: 'FILESYSTEM_DENIED' };
const FAILED = { code: 'FILESYSTEM_FAILED' };

describe('a file that changes', () => {
  it('is resolved to its target at the time of opening', async () => {
    const { plugin } = await makeTree({ 'plugin/data/a.txt': 'first' });
    const content = await brokerIn(plugin, ['data']).read('data/a.txt');
    await unlink(`${plugin}/data/a.txt`);
    await writeFile(`${plugin}/data/a.txt`, 'second');
    expect(await textOf(Promise.resolve(content))).toBe('first');
  });

  it('reads the current target of its path each time', async () => {
    const { root, plugin } = await makeTree({
      'plugin/data/a.txt': 'a',
      'outside/a.txt': 'secret',
    });
    const broker = brokerIn(plugin, ['data']);
    expect(await textOf(broker.read('data/a.txt'))).toBe('a');
    await rename(`${plugin}/data`, `${plugin}/was`);
    await symlink(`${root}/outside`, `${plugin}/data`);
    await expect(broker.read('data/a.txt')).rejects.toMatchObject(DENIED);
    await unlink(`${plugin}/data`);
    await mkdir(`${plugin}/data`);
    await expect(broker.read('data/a.txt')).rejects.toMatchObject(FAILED);
  });

  it('is stopped if it grows beyond the cap while it is read', async () => {
    const { plugin } = await makeTree({ 'plugin/log': 'x'.repeat(90_000) });
    const broker = brokerIn(plugin, ['.'], { maxFileBytes: 100_000 });
    const content = await broker.read('log');
    await content.body.pull();
    await appendFile(`${plugin}/log`, 'x'.repeat(90_000));
    await expect(textOf(Promise.resolve(content))).rejects.toMatchObject({
      code: 'FILESYSTEM_LIMIT',
      details: { limit: 'maxFileBytes' },
    });
    expect(broker.active).toBe(0);
  });
});

describe('a writable mount that does not exist', () => {
  it('is missing, not refused', async () => {
    const { root, plugin } = await makeTree({ 'plugin/a': '' });
    const mount = `${root}/absent`;
    const broker = brokerIn(plugin, [`${mount}:rw`, `${root}/read`]);
    const mkdirIn = (path: string): Promise<unknown> =>
      broker.change(
        { op: 'mkdir', path, recursive: true },
        undefined,
        new AbortController().signal,
      );
    await expect(mkdirIn(`${mount}/a/b`)).rejects.toMatchObject({
      ...FAILED,
      message: expect.stringContaining('ENOENT'),
    });
    await expect(mkdirIn(`${root}/read/a`)).rejects.toMatchObject(DENIED);
    await expect(mkdirIn(`${mount}/.git/hooks`)).rejects.toMatchObject(DENIED);
    await mkdir(mount);
    await mkdirIn(`${mount}/a/b`);
    expect(await readdir(mount)).toEqual(['a']);
  });
});
