import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diskReader } from '../../../src/engine/node/disk-reader.js';
import { makeDirectory, startEngine } from '../plugin-on-disk.js';

describe('what is not there', () => {
  it.each(['absent', 'file.txt/below', 'broken'])(
    'is not found, and no fault: %s',
    async (name) => {
      const directory = makeDirectory();
      writeFileSync(join(directory, 'file.txt'), '');
      symlinkSync('nowhere', join(directory, 'broken'));
      const path = join(directory, name);
      expect(await diskReader.stat(path)).toBeUndefined();
      expect(await diskReader.readFile(path, 10)).toBeUndefined();
      expect(await diskReader.realpath(path)).toBeUndefined();
      expect(await diskReader.realpathIn(directory, name)).toBeUndefined();
      expect(await diskReader.listDirectory(path)).toBeUndefined();
    },
  );
});

it('a link in a directory is its target, and a file is itself', async () => {
  const [directory, other] = [realpathSync(makeDirectory()), realpathSync(makeDirectory())];
  writeFileSync(join(directory, 'file.txt'), '');
  symlinkSync('file.txt', join(directory, 'near'));
  symlinkSync(other, join(directory, 'far'));
  symlinkSync('far', join(directory, 'twice'));
  const found = ['file.txt', 'near', 'far', 'twice'].map((name) =>
    diskReader.realpathIn(directory, name),
  );
  const file = join(directory, 'file.txt');
  expect(await Promise.all(found)).toEqual([file, file, other, other]);
});

it('a directory in which plain files lie is a directory without plugins', async () => {
  const directory = makeDirectory();
  writeFileSync(join(directory, 'notes.txt'), '');
  mkdirSync(join(directory, 'empty'));
  const engine = await startEngine([directory]);
  expect(engine.plugins()).toEqual([]);
});
