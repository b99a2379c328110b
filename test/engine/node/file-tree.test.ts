import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashFileTree } from '../../../src/engine/node/file-tree.js';
import { makeDirectory } from '../plugin-on-disk.js';

const LIMITS = { maxPinnedFiles: 3, maxPinnedBytes: 10 };

function makeTree(files: Readonly<Record<string, string>>): string {
  const root = makeDirectory();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('the hash of the files below a directory', () => {
  it('changes with each content and each path, and not with links and hidden files', async () => {
    const root = makeTree({ 'a/b.txt': 'one', 'c.txt': 'two' });
    const before = await hashFileTree(root);
    expect(before).toMatch(/^sha512-/);
    writeFileSync(join(root, '.hidden'), 'x');
    symlinkSync('c.txt', join(root, 'link'));
    expect(await hashFileTree(root)).toBe(before);
    const others = [
      makeTree({ 'a/b.txt': 'one', 'c.txt': 'too' }),
      makeTree({ 'a/b.txt': 'one', 'd.txt': 'two' }),
      makeTree({ 'a/b.txt': 'one' }),
    ];
    for (const other of others) expect(await hashFileTree(other)).not.toBe(before);
    expect(await hashFileTree(makeTree({ 'c.txt': 'two', 'a/b.txt': 'one' }))).toBe(before);
  });

  it.runIf(process.platform === 'linux')('does not wait for a pipe', async () => {
    const root = makeTree({ 'a.txt': 'one' });
    const before = await hashFileTree(root);
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await hashFileTree(root)).toBe(before);
  });

  it.each([
    ['files', { '1': '', '2': '', '3/4': '', '3/5': '' }, 'maxPinnedFiles'],
    ['bytes', { '1': 'x'.repeat(6), '2': 'x'.repeat(6) }, 'maxPinnedBytes'],
  ])('is refused for too many %s', async (_, files, limit) => {
    await expect(hashFileTree(makeTree(files), LIMITS)).rejects.toMatchObject({
      code: 'FILESYSTEM_LIMIT',
      details: { limit },
    });
  });
});
