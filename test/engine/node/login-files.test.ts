import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLoginFiles } from '../../../src/engine/node/login-files.js';
import { makeDirectory } from '../plugin-on-disk.js';

function openFiles() {
  const [storage, keys] = [makeDirectory(), makeDirectory()];
  const directory = join(storage, '.oauth');
  return {
    store: openLoginFiles(storage, join(keys, 'key')),
    directory,
    files: () => readdirSync(directory).map((name) => join(directory, name)),
    again: () => openLoginFiles(storage, join(keys, 'key')),
  };
}

describe('a stored login', () => {
  it('is read by the next process, and is encrypted, for its owner alone', async () => {
    const { store, files, directory, again } = openFiles();
    await store.write('crm', 'a secret token');
    expect(again().read('crm')).toBe('a secret token');
    const [file = ''] = files();
    expect(readFileSync(file).includes('secret')).toBe(false);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  it('is deleted', async () => {
    const { store, files } = openFiles();
    await store.write('crm', 'token');
    await store.write('crm', undefined);
    expect(store.read('crm')).toBeUndefined();
    expect(files()).toEqual([]);
  });

  it('is of no use under the name of another server', async () => {
    const { store, files } = openFiles();
    await store.write('crm', 'token');
    const [crm = ''] = files();
    await store.write('house', 'other');
    const house = files().find((file) => file !== crm) ?? '';
    renameSync(crm, house);
    expect(() => store.read('house')).toThrow('belongs to another place');
  });

  it('does not count if it is not encrypted', async () => {
    const { store, files } = openFiles();
    await store.write('crm', 'token');
    writeFileSync(files()[0] ?? '', '{"tokens":{"access_token":"of the attacker"}}');
    expect(store.read('crm')).toBeUndefined();
  });

  it('cannot be stored with its key beside it', async () => {
    const storage = makeDirectory();
    const store = openLoginFiles(storage, join(storage, 'key'));
    await expect(store.write('crm', 'token')).rejects.toMatchObject({ code: 'INVALID_KEY' });
  });
});
