import { chmodSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  openApprovalFiles,
  openApprovalFilesOrMemory,
} from '../../../src/engine/node/approval-files.js';
import { makeDirectory } from '../plugin-on-disk.js';

describe('the files of approvals', () => {
  it('are created once each, with mode 0600, in .approvals of the storage directory', () => {
    const storage = makeDirectory();
    const files = openApprovalFiles(storage);
    expect(files.names()).toEqual([]);
    expect(files.create('a.json', 'one')).toBe(true);
    expect(openApprovalFiles(storage).create('a.json', 'two')).toBe(false);
    expect(files.read('a.json')).toBe('one');
    const directory = join(storage, '.approvals');
    expect(readdirSync(directory)).toEqual(['a.json']);
    expect(statSync(join(directory, 'a.json')).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    files.remove('a.json');
    expect(files.read('a.json')).toBeUndefined();
  });

  it('are never read through a link', () => {
    const storage = makeDirectory();
    const files = openApprovalFiles(storage);
    files.create('a.json', 'one');
    writeFileSync(join(storage, 'planted'), 'planted');
    symlinkSync(join(storage, 'planted'), join(storage, '.approvals', 'b.json'));
    expect(files.read('b.json')).toBe('');
  });

  it.skipIf(process.getuid?.() === 0)('are memory if the directory cannot be written', () => {
    const storage = makeDirectory();
    chmodSync(storage, 0o500);
    const reasons: string[] = [];
    const files = openApprovalFilesOrMemory(storage, (reason) => reasons.push(reason));
    expect(files.create('a.json', 'one')).toBe(true);
    expect(files.create('a.json', 'two')).toBe(false);
    expect(files.read('a.json')).toBe('one');
    expect(reasons).toHaveLength(1);
  });
});
