/** The files of an MCP server's directory, which it may read: pinned by the lock file. */
import { appendFileSync, cpSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Lockfile, openLockfile } from '../../../src/entry-points/lock.js';
import type { Engine } from '../../../src/index.js';
import { makeCache } from '../../run-directory.js';
import { makeServer, plainProgram } from '../mcp-on-disk.js';
import { makeDirectory, silentLogger, startEngine } from '../plugin-on-disk.js';

const program = (version: string): string =>
  plainProgram(
    `const { readFileSync, readdirSync } = await import('node:fs');
     if (args.file.endsWith('/')) return text(readdirSync(args.file).join(' '));
     try { return text(readFileSync(args.file, 'utf8') + ' of ${version}'); }
     catch (error) { return text('refused: ' + error.code); }`,
  );

async function setUp(): Promise<{
  readonly root: string;
  readonly directory: string;
  readonly book: Lockfile;
  readonly start: () => Promise<Engine>;
}> {
  const root = makeDirectory();
  const directory = join(root, 'server');
  mkdirSync(directory);
  makeServer(
    {
      program: program('one'),
      files: { 'data/text.txt': 'first', '.env': 'KEY=1', 'data/.hidden': 'x' },
    },
    directory,
  );
  symlinkSync('.env', join(directory, 'link.txt'));
  symlinkSync('data/text.txt', join(directory, 'again.txt'));
  symlinkSync(join(root, 'outside.txt'), join(directory, 'out.txt'));
  writeFileSync(join(root, 'outside.txt'), 'outside');
  const lockFile = join(root, 'bulkhead.lock.json');
  const options = { cacheDirectory: makeCache(join(root, 'cache')), logger: silentLogger };
  const book = openLockfile(lockFile, { plugins: [], ...options });
  await accept(book, directory);
  const start = (): Promise<Engine> =>
    startEngine([], { lockFile, grant: 'declared', tolerance: 'full', ...options });
  return { root, directory, book, start };
}

async function accept(book: Lockfile, directory: string): Promise<void> {
  const inspected = await book.inspect(directory);
  book.accept(inspected, { granted: inspected.declared, by: 'ada' });
}

async function read(engine: Engine, file: string): Promise<string> {
  const [block] = (await engine.call('run', { file })).content;
  return block?.type === 'text' ? block.text : '';
}

function problems(engine: Engine): readonly string[] {
  return engine.plugins().flatMap((one) => one.problems.map(({ message }) => message));
}

describe('the files of an accepted server', () => {
  it('are read as they were accepted, without hidden files, links to them and links to other places', async () => {
    const { start, book } = await setUp();
    expect(book.read().plugins['sample']?.files).toMatch(/^sha512-/);
    const engine = await start();
    expect(problems(engine)).toEqual([]);
    expect(await read(engine, './data/text.txt')).toBe('first of one');
    // It leads to a file that is pinned.
    expect(await read(engine, './again.txt')).toBe('first of one');
    for (const file of ['./.env', './data/.hidden', './link.txt', './out.txt', 'data/../.env']) {
      expect(await read(engine, file)).toMatch(/^refused: /);
    }
    // A hidden file that exists is answered like one that does not.
    const about = async (file: string): Promise<string> =>
      (await read(engine, file)).replaceAll(file, 'FILE');
    expect(await about('./.env')).toBe(await about('./.nothing'));
    expect(await about('./data/.hidden')).toBe(await about('./data/.nothing'));
    expect(await read(engine, './data/')).toBe('text.txt');
    await engine.close();
  });

  it.each([
    ['changed', (directory: string) => appendFileSync(join(directory, 'data/text.txt'), '!')],
    ['added', (directory: string) => writeFileSync(join(directory, 'data/more.txt'), 'x')],
    [
      'moved',
      (directory: string) =>
        renameSync(join(directory, 'data/text.txt'), join(directory, 'text.txt')),
    ],
  ])('are not read if one was %s, and the accepted code runs on', async (_, change) => {
    const { directory, start, book } = await setUp();
    change(directory);
    expect(await book.check()).toEqual({ sample: 'changed' });
    const engine = await start();
    expect(problems(engine).join('\n')).toMatch(/sample cannot read the files .*bulkhead update/);
    for (const file of ['./data/text.txt', './text.txt', './package.json']) {
      expect(await read(engine, file)).toMatch(/^refused: /);
    }
    await engine.close();
    const { files } = book.changes('sample', await book.inspect(directory));
    expect(files).toBe(true);
    await accept(book, directory);
    const again = await start();
    expect(problems(again)).toEqual([]);
    expect(await read(again, './package.json')).toMatch(/of one$/);
    await again.close();
  });

  it('are those of the earlier version after a rollback', async () => {
    const { root, directory, start, book } = await setUp();
    const next = join(root, 'next');
    cpSync(directory, next, { recursive: true });
    makeServer({ program: program('two'), files: { 'data/text.txt': 'second' } }, next);
    await accept(book, next);
    const second = await start();
    expect(await read(second, './data/text.txt')).toBe('second of two');
    await second.close();
    book.rollback('sample', 'ada');
    const first = await start();
    expect(problems(first)).toEqual([]);
    expect(await read(first, './data/text.txt')).toBe('first of one');
    await first.close();
  });
});
