import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openScratchMounts } from '../../../src/engine/node/scratch-mounts.js';
import { parseScope } from '../../../src/permissions/filesystem.js';
import { makeDirectory } from '../plugin-on-disk.js';

function workspace(): string {
  const directory = makeDirectory();
  mkdirSync(join(directory, 'sub'));
  writeFileSync(join(directory, 'sub', 'a.txt'), 'a');
  symlinkSync('/etc/passwd', join(directory, 'link'));
  return directory;
}

describe('the copies of mounts', () => {
  it('stand at the path that the plugin sees, with links as they are', async () => {
    const ws = workspace();
    const directory = makeDirectory();
    const granted = [`${ws}:/work:rw`, '/srv/read-only'];
    const mounts = await openScratchMounts({ directory, storageDirectory: '/none', granted });
    const { path, at, isWritable } = parseScope(mounts.placeOf(granted[0] ?? ''));
    expect({ at, isWritable }).toEqual({ at: '/work', isWritable: true });
    expect(path.startsWith(directory)).toBe(true);
    expect(readFileSync(join(path, 'sub', 'a.txt'), 'utf8')).toBe('a');
    expect(readlinkSync(join(path, 'link'))).toBe('/etc/passwd');
    expect(lstatSync(path).mode & 0o077).toBe(0);
    expect(mounts.placeOf('/srv/read-only')).toBe('/srv/read-only');
    expect(['/work', '/work/x', '/workshop', 'work/x', ws].map((one) => mounts.has(one))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('are not writable without a copy: too large, absent, or granted meanwhile', async () => {
    const large = workspace();
    writeFileSync(join(large, 'large'), '');
    truncateSync(join(large, 'large'), 300 * 1024 * 1024);
    const directory = makeDirectory();
    const granted = [`${large}:rw`, '/none/such:rw'];
    const mounts = await openScratchMounts({ directory, storageDirectory: '/none', granted });
    for (const scope of [...granted, '/srv/granted/later:rw']) {
      expect(parseScope(mounts.placeOf(scope)).isWritable).toBe(false);
      expect(mounts.has(`${parseScope(scope).path}/x`)).toBe(false);
    }
    expect(existsSync(join(directory, '0'))).toBe(false);
  });

  it('keep closed what is closed in the mount, and leave out the storage of the engine', async () => {
    const ws = workspace();
    const storageDirectory = join(ws, 'storage');
    const directory = join(storageDirectory, '.dry-runs', 'run-1');
    mkdirSync(directory, { recursive: true });
    const granted = [`${ws}:rw`];
    const mounts = await openScratchMounts({ directory, storageDirectory, granted });
    const { path } = parseScope(mounts.placeOf(granted[0] ?? ''));
    expect(existsSync(join(path, 'sub'))).toBe(true);
    expect(existsSync(join(path, 'storage'))).toBe(false);
    const lock = join(ws, 'bulkhead.lock.json');
    expect(mounts.closed([lock, storageDirectory, '/srv/rules.json'])).toEqual([
      lock,
      '/srv/rules.json',
      join(path, 'bulkhead.lock.json'),
      join(path, 'storage'),
    ]);
  });
});
