import { symlink, link } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { brokerIn, makeTree, textOf } from './tree.js';

const DENIED = { code: 'FILESYSTEM_DENIED' };

describe('a link', () => {
  it('is followed if it stays within the grant', async () => {
    const { plugin } = await makeTree({ 'plugin/data/a.txt': 'a', 'plugin/more/b.txt': 'b' });
    await symlink('a.txt', `${plugin}/data/same`);
    await symlink('../more', `${plugin}/data/more`);
    const broker = brokerIn(plugin, ['data', 'more']);
    expect(await textOf(broker.read('data/same'))).toBe('a');
    expect(await textOf(broker.read('data/more/b.txt'))).toBe('b');
  });

  it('that leads out is refused, without revealing its target', async () => {
    const { root, plugin } = await makeTree({
      'plugin/data/a.txt': 'a',
      'outside/secret.txt': 'secret',
    });
    await symlink(`${root}/outside/secret.txt`, `${plugin}/data/file`);
    await symlink('../../outside', `${plugin}/data/folder`);
    await symlink(`${root}/outside/nothing.txt`, `${plugin}/data/dangling`);
    await symlink(`${root}/outside/secret.txt/x`, `${plugin}/data/through`);
    await symlink('self', `${plugin}/data/self`);
    const broker = brokerIn(plugin, ['data']);
    const paths = ['file', 'folder/secret.txt', 'folder/nothing', 'dangling', 'through', 'self'];
    const refusals = await Promise.all(
      paths.map((name) => broker.read(`data/${name}`).catch((error: unknown) => error)),
    );
    const texts = refusals.map((error, index) =>
      String(error).replaceAll(`data/${paths[index]}`, 'PATH'),
    );
    expect(new Set(texts).size).toBe(1);
    expect(refusals[0]).toMatchObject(DENIED);
    expect(texts[0]).not.toContain(root);
  });

  it("in the plugin's own directory does not grant its target", async () => {
    const { root, plugin } = await makeTree({ 'plugin/x': '', 'outside/secret.txt': 'secret' });
    await symlink(`${root}/outside`, `${plugin}/data`);
    await expect(brokerIn(plugin, ['data']).read('data/secret.txt')).rejects.toMatchObject(DENIED);
    await expect(
      brokerIn(plugin, [`${plugin}/data`]).read('data/secret.txt'),
    ).rejects.toMatchObject(DENIED);
  });

  it("elsewhere is the operator's own way of naming a place", async () => {
    const { root, plugin } = await makeTree({ 'plugin/x': '', 'real/a.txt': 'a' });
    await symlink(`${root}/real`, `${root}/named`);
    expect(await textOf(brokerIn(plugin, [`${root}/named`]).read(`${root}/named/a.txt`))).toBe('a');
  });

  it('that is hard is treated as an ordinary file: the two names are indistinguishable', async () => {
    const { root, plugin } = await makeTree({ 'plugin/data/x': '', 'outside.txt': 'shared' });
    await link(`${root}/outside.txt`, `${plugin}/data/hard`);
    expect(await textOf(brokerIn(plugin, ['data']).read('data/hard'))).toBe('shared');
  });
});
