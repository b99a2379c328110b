import { execFileSync, spawn } from 'node:child_process';
import { rename, symlink, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { makeRoot } from '../../../src/brokers/filesystem/roots.js';
import { describe, expect, it } from 'vitest';
import {
  CheckedPath,
  checkPath,
  openChecked,
} from '../../../src/brokers/filesystem/checked-path.js';
import { FILESYSTEM_LIMITS } from '../../../src/brokers/limits.js';
import { makeRefusals } from '../../../src/brokers/filesystem/refusals.js';
import { makeTree } from './tree.js';

const refusals = makeRefusals({ id: 'weather', manifest: 'm.json' }, ['data'], FILESYSTEM_LIMITS);

/** A tree in which `data/sub/a.txt` has been checked, and `outside/a.txt` is out of bounds. */
async function checkedTree() {
  const tree = await makeTree({
    'plugin/data/sub/a.txt': 'sunny',
    'outside/a.txt': 'secret',
  });
  const roots = [makeRoot('data', tree.plugin)];
  const checked = await checkPath('data/sub/a.txt', tree.plugin, roots, refusals);
  return { ...tree, checked, data: `${tree.plugin}/data` };
}

describe.each([
  ['where the kernel tells what a descriptor is', '/proc/self/fd'],
  ['at a path that does not exist', '/nowhere'],
])('a checked path, %s', (_where, descriptors) => {
  it('opens the file that was checked', async () => {
    const { checked } = await checkedTree();
    const { handle, bytes, realPath } = await openChecked(checked, refusals, descriptors);
    expect(await handle.readFile('utf8')).toBe('sunny');
    expect({ bytes, realPath }).toEqual({ bytes: 5, realPath: checked.real });
    await handle.close();
  });

  it('opens nothing if the file has become a link', async () => {
    const { root, data, checked } = await checkedTree();
    await unlink(`${data}/sub/a.txt`);
    await symlink(`${root}/outside/a.txt`, `${data}/sub/a.txt`);
    await expect(openChecked(checked, refusals, descriptors)).rejects.toMatchObject({
      code: 'FILESYSTEM_DENIED',
    });
  });

  it.each(['sub', '.'])('opens nothing if the directory %s has become a link', async (which) => {
    const { root, data, checked } = await checkedTree();
    const [from, to] =
      which === '.' ? [data, `${root}/outside`] : [`${data}/sub`, `${root}/outside`];
    await rename(from, `${root}/was`);
    await symlink(to, from);
    if (which === '.') await symlink(to, `${root}/outside/sub`);
    await expect(openChecked(checked, refusals, descriptors)).rejects.toMatchObject({
      code: 'FILESYSTEM_DENIED',
    });
  });

  it('does not open a pipe: the process at its other end continues to wait', async () => {
    const { data, checked } = await checkedTree();
    await unlink(`${data}/sub/a.txt`);
    execFileSync('mkfifo', [`${data}/sub/a.txt`]);
    const writer = spawn('sh', ['-c', 'echo there > "$0"', `${data}/sub/a.txt`]);
    // Until the shell waits for a reader.
    await delay(100);
    await expect(openChecked(checked, refusals, descriptors)).rejects.toMatchObject({
      code: 'FILESYSTEM_FAILED',
    });
    await delay(100);
    expect(writer.exitCode ?? writer.signalCode).toBeNull();
    writer.kill('SIGKILL');
  });

  it('opens what has taken the place of the file inside', async () => {
    const { data, checked } = await checkedTree();
    await unlink(`${data}/sub/a.txt`);
    await writeFile(`${data}/sub/a.txt`, 'cloudy');
    const { handle } = await openChecked(checked, refusals, descriptors);
    expect(await handle.readFile('utf8')).toBe('cloudy');
    await handle.close();
  });

  it('fails if the file no longer exists', async () => {
    const { data, checked } = await checkedTree();
    await unlink(`${data}/sub/a.txt`);
    await expect(openChecked(checked, refusals, descriptors)).rejects.toMatchObject({
      code: 'FILESYSTEM_FAILED',
    });
  });
});

describe('a path that was not checked', () => {
  it('cannot be passed for one that was', () => {
    const forged = { requested: '/etc/passwd', real: '/etc/passwd', admits: () => true };
    // @ts-expect-error: a literal lacks the private part that only `contain` gives
    const asChecked: CheckedPath = forged;
    expect(asChecked).not.toBeInstanceOf(CheckedPath);
    // @ts-expect-error: and the constructor is private
    const made = (): CheckedPath => new CheckedPath('/etc/passwd', '/etc/passwd', ['/'], false);
    expect(made).toBeTypeOf('function');
  });
});
