import { execFile, spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { replaceFile, replaceFileSync, writeNewFile } from '../src/replace-file.js';

const root = mkdtempSync(join(tmpdir(), 'bulkhead-replace-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const makeDirectory = (): string => mkdtempSync(join(root, 'd-'));

const built = new URL('../dist/src/replace-file.js', import.meta.url).href;

/** Larger than one system call writes, and of one letter, so that a mixture is seen. */
const textOf = (letter: string): string => letter.repeat(3_000_000);

function isWhole(text: string): boolean {
  return text.length === 3_000_000 && text === textOf(text.charAt(0));
}

const ways = [
  ['replaceFile', replaceFile],
  ['replaceFileSync', async (...args: Parameters<typeof replaceFile>) => replaceFileSync(...args)],
] as const;

describe.each(ways)('%s', (_name, replace) => {
  it('creates a file with its mode, in directories with theirs', async () => {
    const path = join(makeDirectory(), 'a', 'b', 'file');
    await replace(path, 'one', { mode: 0o600, directoryMode: 0o700 });
    expect(readFileSync(path, 'utf8')).toBe('one');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    expect(statSync(join(path, '../..')).mode & 0o777).toBe(0o700);
  });

  it('removes drafts that killed writers left more than an hour ago', async () => {
    const directory = makeDirectory();
    const names = ['.a.0123456789abcdef.draft', '.b.fedcba9876543210.draft', '.c.draft', 'd'];
    for (const name of names) writeFileSync(join(directory, name), 'secret');
    symlinkSync('d', join(directory, '.e.0123456789abcdef.draft'));
    const old = new Date(Date.now() - 3_700_000);
    for (const name of names.toSpliced(1, 1)) utimesSync(join(directory, name), old, old);
    lutimesSync(join(directory, '.e.0123456789abcdef.draft'), old, old);
    await replace(join(directory, 'file'), 'one', { mode: 0o600 });
    expect(readdirSync(directory).toSorted()).toEqual([
      '.b.fedcba9876543210.draft',
      '.c.draft',
      '.e.0123456789abcdef.draft',
      'd',
      'file',
    ]);
  });

  it('gives a file that was open to all the mode of the call', async () => {
    const path = join(makeDirectory(), 'file');
    writeFileSync(path, 'one', { mode: 0o666 });
    await replace(path, Buffer.from('two'), { mode: 0o600, durable: true });
    expect(readFileSync(path, 'utf8')).toBe('two');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('replaces a link, and not the file that it leads to', async () => {
    const directory = makeDirectory();
    writeFileSync(join(directory, 'target'), 'stays');
    symlinkSync('target', join(directory, 'link'));
    await replace(join(directory, 'link'), 'new', { mode: 0o600 });
    expect(lstatSync(join(directory, 'link')).isFile()).toBe(true);
    expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('stays');
  });

  it('leaves no draft, and the old content, if it fails', async () => {
    const directory = makeDirectory();
    mkdirSync(join(directory, 'taken', 'below'), { recursive: true });
    await expect(replace(join(directory, 'taken'), 'x', { mode: 0o600 })).rejects.toThrow(
      /EISDIR|ENOTEMPTY|EEXIST/,
    );
    expect(readdirSync(directory)).toEqual(['taken']);
    expect(readdirSync(join(directory, 'taken'))).toEqual(['below']);
  });
});

describe('a file that is replaced', () => {
  it('has the whole content of one of many writers at once, and no draft stays', async () => {
    const directory = makeDirectory();
    const path = join(directory, 'file');
    const letters = 'abcdefghijklmnopqrstuvwx'.split('');
    const writes = letters.map((letter) => replaceFile(path, textOf(letter), { mode: 0o600 }));
    // After each write others are under way.
    const read = async (write: Promise<void>): Promise<boolean> => {
      await write;
      return isWhole(readFileSync(path, 'utf8'));
    };
    expect(await Promise.all(writes.map(read))).toEqual(letters.map(() => true));
    expect(readdirSync(directory)).toEqual(['file']);
  });

  it('has the content of the last of several writers that follow each other', async () => {
    const path = join(makeDirectory(), 'file');
    for (const text of ['one', 'two', 'three']) await replaceFile(path, text, { mode: 0o600 });
    expect(readFileSync(path, 'utf8')).toBe('three');
  });

  it('is whole after writers in several processes', async () => {
    const directory = makeDirectory();
    const path = join(directory, 'file');
    const code = `
      const { replaceFile, replaceFileSync } = await import(${JSON.stringify(built)});
      const [path, letter] = process.argv.slice(1);
      for (let n = 0; n < 10; n += 1) {
        replaceFileSync(path, letter.repeat(3_000_000), { mode: 0o600 });
        await Promise.all([1, 2].map(() => replaceFile(path, letter.repeat(3_000_000), { mode: 0o600 })));
      }`;
    const run = promisify(execFile);
    await Promise.all(
      ['a', 'b'].map((letter) =>
        run(process.execPath, ['--input-type=module', '-e', code, path, letter]),
      ),
    );
    expect(isWhole(readFileSync(path, 'utf8'))).toBe(true);
    expect(readdirSync(directory)).toEqual(['file']);
  });

  it('is whole after its writer is killed at any time, and can be replaced again', async () => {
    const directory = makeDirectory();
    const path = join(directory, 'file');
    const code = `
      const { replaceFileSync } = await import(${JSON.stringify(built)});
      for (let n = 0; ; n += 1) {
        replaceFileSync(process.argv[1], 'ab'[n % 2].repeat(3_000_000), { mode: 0o600 });
        if (n === 1) process.stdout.write('.');
      }`;
    for (let round = 0; round < 5; round += 1) {
      const args = ['--input-type=module', '-e', code, path];
      const writer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = new Promise((resolve) => writer.once('exit', resolve));
      await new Promise((resolve) => writer.stdout.once('data', resolve));
      writer.kill('SIGKILL');
      await ended;
      expect(isWhole(readFileSync(path, 'utf8'))).toBe(true);
    }
    await replaceFile(path, 'again', { mode: 0o600 });
    expect(readFileSync(path, 'utf8')).toBe('again');
  });
});

describe('a new file', () => {
  it('is not written over a file that exists', () => {
    const path = join(makeDirectory(), 'file');
    writeNewFile(path, 'one', 0o600, true);
    expect(() => writeNewFile(path, 'two', 0o600, true)).toThrow(/EEXIST/);
    expect(readFileSync(path, 'utf8')).toBe('one');
  });

  it('does not exist if its content could not be written', () => {
    const path = join(makeDirectory(), 'file');
    expect(() => writeNewFile(path, 5 as unknown as string, 0o600, true)).toThrow(TypeError);
    expect(existsSync(path)).toBe(false);
  });
});
