/** Directories of the host that plugins are lent: reads, writes, and what stays closed. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, Engine, EngineOptions } from '../../src/index.js';
import { makeDirectory } from './plugin-on-disk.js';
import { startVellum } from './vellum-on-disk.js';

/** A plugin whose one tool evaluates to the result of `body`. */
function start(body: string, fs: readonly string[], options: Partial<EngineOptions> = {}) {
  return startVellum(
    {
      name: 'lent',
      tools: {
        run: `import fs from 'node:fs'; import { join } from 'node:path';
          const codeOf = (work) => { try { return work(); } catch (error) { return error.code ?? error.message; } };
          const later = (work) => work.catch((error) => error.code ?? error.message);
          export default { defaultRiskLevel: 'medium', input_schema: { type: 'object' },
            execute: async (input, ctx) => ({ content: await (async () => { ${body} })(), isError: false }) };`,
      },
      files: { 'src/own.json': '{"own":1}' },
    },
    {
      grant: { lent: { time: true, storage: true, fs } },
      tolerance: 'full',
      storageDirectory: makeDirectory(),
      ...options,
    },
  );
}

async function run(engine: Engine, input: object = {}, context = {}): Promise<unknown> {
  const { content, isError, structured } = await engine.call('run', input, { context });
  const text = content.map((block) => ('text' in block ? block.text : '')).join('');
  if (isError) throw new Error(text);
  return structured ?? text;
}

function workspace(): string {
  const directory = makeDirectory();
  writeFileSync(join(directory, 'notes.txt'), 'old');
  mkdirSync(join(directory, '.git', 'hooks'), { recursive: true });
  writeFileSync(join(directory, '.git', 'config'), 'secret');
  return directory;
}

describe('a granted absolute path', () => {
  it('is read alike by synchronous and asynchronous code', async () => {
    const ws = workspace();
    const engine = await start(
      `const at = (name) => join(input.ws, name);
       return [fs.readFileSync(at('notes.txt'), 'utf8'), await fs.promises.readFile(at('notes.txt'), 'utf8'),
         fs.existsSync(at('notes.txt')), fs.existsSync(at('none')), fs.statSync(at('notes.txt')).size,
         fs.readdirSync(input.ws), await fs.promises.readdir(input.ws), codeOf(() => fs.readFileSync(at('none')))]`,
      [ws],
    );
    expect(await run(engine, { ws })).toEqual([
      'old',
      'old',
      true,
      false,
      3,
      ['.git', 'notes.txt'],
      ['.git', 'notes.txt'],
      'ENOENT',
    ]);
  });

  it('sees what the host wrote after the plugin was loaded', async () => {
    const ws = workspace();
    const engine = await start(`return fs.readFileSync(join(input.ws, 'notes.txt'), 'utf8')`, [ws]);
    expect(await run(engine, { ws })).toBe('old');
    writeFileSync(join(ws, 'notes.txt'), 'new');
    expect(await run(engine, { ws })).toBe('new');
  });

  it('takes no more bytes and files than the limits allow, of all guests of the plugin', async () => {
    const ws = workspace();
    const engine = await start(
      `const at = (name) => join(input.ws, name);
       if (input.loop) for (;;);
       const sync = codeOf(() => { fs.writeFileSync(at(input.name), input.text); return 'done' });
       return [sync, await later(fs.promises.appendFile(at(input.name), input.text).then(() => 'done')),
         await later(fs.promises.mkdir(at('d/e'), { recursive: true }).then(() => 'done'))]`,
      [`${ws}:rw`],
      { limits: { maxMountBytes: 20, maxMountFiles: 3 } },
    );
    const text = 'x'.repeat(8);
    const done = ['done', 'done', 'done'];
    expect(await run(engine, { ws, name: 'a', text })).toEqual(done);
    const killed = await engine.call('run', { loop: true }, { timeoutMs: 500 });
    expect(killed.code).toBe('DEADLINE_EXCEEDED');
    const refused = 'FILESYSTEM_LIMIT';
    expect(await run(engine, { ws, name: 'b', text })).toEqual([refused, refused, 'done']);
    expect(await run(engine, { ws, name: 'a', text: '' })).toEqual(done);
    expect(await run(engine, { ws, name: 'a', text })).toEqual(done);
    expect(await run(engine, { ws, name: 'b', text: '' })).toEqual([refused, refused, 'done']);
  });

  it('reads 9 MB at once', async () => {
    const ws = workspace();
    writeFileSync(join(ws, 'large'), Buffer.alloc(9 * 1024 * 1024, 'x'));
    const engine = await start(
      `return [fs.readFileSync(join(input.ws, 'large')).length, fs.readFileSync(join(input.ws, 'large'), 'utf8').slice(-3)]`,
      [ws],
    );
    expect(await run(engine, { ws })).toEqual([9 * 1024 * 1024, 'xxx']);
  });

  it('that is not granted is a denial that names the grant, and an event', async () => {
    const ws = workspace();
    const denied: BulkheadEvent[] = [];
    const engine = await start(
      `return [codeOf(() => fs.readFileSync('/etc/hostname')), fs.existsSync('/etc/hostname')]`,
      [ws],
      { onEvent: (event) => void (event.type === 'capability-denied' && denied.push(event)) },
    );
    expect(await run(engine)).toEqual(['EACCES', false]);
    expect(denied).toMatchObject([{ permission: 'fs', wanted: '"/etc/hostname"' }, {}]);
  });

  it('of the plugin’s own directory is denied if it exists, and missing if it does not', async () => {
    const body = `const at = (name) => new URL('../' + name, import.meta.url).pathname;
      return [codeOf(() => fs.readFileSync(at('src/own.json'), 'utf8')), codeOf(() => fs.readFileSync(at('state.json'))),
        await later(fs.promises.readFile(at('src/own.json'), 'utf8')), await later(fs.promises.readFile(at('state.json')))]`;
    const without = await start(body, []);
    expect(await run(without)).toEqual(['EACCES', 'ENOENT', 'EACCES', 'ENOENT']);
    const granted = await start(body, ['src']);
    expect(await run(granted)).toEqual(['{"own":1}', 'ENOENT', '{"own":1}', 'ENOENT']);
  });
});

describe('the directories above those that a plugin sees', () => {
  it('are there, and cannot be listed', async () => {
    const outside = makeDirectory();
    const deep = join(outside, 'deep');
    mkdirSync(deep);
    const engine = await start(
      `const { above } = input;
       const { existsSync, promises, readdirSync, readFileSync, statSync } = fs;
       return [
         ...['/', '/home', above].map((path) => [existsSync(path), statSync(path).isDirectory(), codeOf(() => readdirSync(path))]),
         (await promises.stat(above)).isDirectory(),
         ...['/etc', '/package.json', above + '/other', above + 'x'].map((path) => [existsSync(path), codeOf(() => readFileSync(path))]),
       ];`,
      [deep],
    );
    expect(await run(engine, { above: outside })).toEqual([
      [true, true, 'EACCES'],
      [true, true, 'EACCES'],
      // The plugin's own /tmp has nothing else.
      [true, true, 'ENOENT'],
      true,
      [false, 'EACCES'],
      [false, 'EACCES'],
      [false, 'ENOENT'],
      [false, 'ENOENT'],
    ]);
  });
});

describe('a writable mount', () => {
  it('is written by synchronous and asynchronous code', async () => {
    const ws = workspace();
    const engine = await start(
      `const at = (name) => join(input.ws, name);
       fs.writeFileSync(at('notes.txt'), 'new'); fs.appendFileSync(at('notes.txt'), '+1');
       fs.mkdirSync(at('a/b'), { recursive: true }); fs.writeFileSync(at('a/b/c.txt'), 'deep');
       await fs.promises.writeFile(at('d/e.txt'), 'made'); await fs.promises.appendFile(at('d/e.txt'), '!');
       await fs.promises.rename(at('d/e.txt'), at('d/f.txt')); fs.renameSync(at('a/b/c.txt'), at('c.txt'));
       await fs.promises.rm(at('a'), { recursive: true }); fs.mkdirSync(at('empty')); fs.rmdirSync(at('empty'));
       return [fs.readFileSync(at('notes.txt'), 'utf8'), fs.existsSync(at('a')), codeOf(() => fs.unlinkSync(at('none')))]`,
      [`${ws}:rw`],
    );
    expect(await run(engine, { ws })).toEqual(['new+1', false, 'ENOENT']);
    expect(readFileSync(join(ws, 'notes.txt'), 'utf8')).toBe('new+1');
    expect(readFileSync(join(ws, 'd/f.txt'), 'utf8')).toBe('made!');
    expect(readFileSync(join(ws, 'c.txt'), 'utf8')).toBe('deep');
    expect(existsSync(join(ws, 'empty'))).toBe(false);
  });

  it('raises the risk of the plugin’s tools to medium', async () => {
    const readOnly = await start('return 1', [workspace()]);
    const writable = await start('return 1', [`${workspace()}:rw`]);
    const trusting = { riskPolicy: 'author' } as const;
    expect(readOnly.catalog.find('run')?.risk).toBe('medium');
    expect(writable.catalog.find('run')).toMatchObject({ risk: 'medium' });
    const low = await start('return 1', [`${workspace()}:rw`], trusting);
    expect(low.catalog.find('run')?.risk).toBe('medium');
  });

  it.each([
    ['.git/config', 'write'],
    ['.GIT/hooks/pre-commit', 'write'],
    ['sub/.git./config', 'write'],
    ['sub/.g\u200Bit/config', 'write'],
    ['.vscode/tasks.json', 'write'],
    ['.github/workflows/ci.yml', 'write'],
    ['node_modules/.bin/tsc', 'write'],
    ['.npmrc', 'append'],
    ['bulkhead.lock.json', 'write'],
    ['link/config', 'write'],
    ['link', 'mkdir'],
    ['.idea', 'mkdir'],
  ])('never writes %s (%s)', async (name, op) => {
    const ws = workspace();
    symlinkSync(join(ws, '.git'), join(ws, 'link'));
    const engine = await start(
      `const path = join(input.ws, input.name);
       return [codeOf(() => input.op === 'mkdir' ? fs.mkdirSync(path) : fs[input.op + 'FileSync'](path, 'evil')),
         await later(input.op === 'mkdir' ? fs.promises.mkdir(path) : fs.promises[input.op + 'File'](path, 'evil'))]`,
      [`${ws}:rw`],
    );
    const refused = name === 'link' ? 'EEXIST' : 'EACCES';
    expect(await run(engine, { ws, name, op })).toEqual([refused, refused]);
    expect(readFileSync(join(ws, '.git', 'config'), 'utf8')).toBe('secret');
  });

  it('with a protected name of its own is written', async () => {
    const ws = workspace();
    const engine = await start(
      `fs.writeFileSync(join(input.ws, '.git/config'), 'mine'); return codeOf(() => fs.writeFileSync(join(input.ws, '.vscode/x'), ''))`,
      [`${ws}:rw`, `${ws}/.git:rw`],
    );
    expect(await run(engine, { ws })).toBe('EACCES');
    expect(readFileSync(join(ws, '.git', 'config'), 'utf8')).toBe('mine');
  });

  it('moves no directory so that it gets a protected name, and deletes none with one', async () => {
    const ws = workspace();
    mkdirSync(join(ws, 'x/workflows'), { recursive: true });
    mkdirSync(join(ws, 'repo/.git'), { recursive: true });
    const engine = await start(
      `const at = (name) => join(input.ws, name);
       return [codeOf(() => fs.renameSync(at('x'), at('.github'))), codeOf(() => fs.renameSync(at('notes.txt'), at('.envrc'))),
         codeOf(() => fs.rmSync(at('repo'), { recursive: true })), codeOf(() => fs.renameSync(at('.git'), at('git')))]`,
      [`${ws}:rw`],
    );
    const denied = 'EACCES';
    expect(await run(engine, { ws })).toEqual([denied, denied, denied, denied]);
  });

  it('leads nowhere else through links, and leaves other names of a file as they were', async () => {
    const ws = workspace();
    const other = makeDirectory();
    writeFileSync(join(other, 'hard'), 'kept');
    writeFileSync(join(other, 'soft'), 'kept');
    linkSync(join(other, 'hard'), join(ws, 'hard'));
    linkSync(join(other, 'hard'), join(ws, 'hard2'));
    symlinkSync(join(other, 'soft'), join(ws, 'soft'));
    symlinkSync(other, join(ws, 'out'));
    const engine = await start(
      `const at = (name) => join(input.ws, name);
       fs.writeFileSync(at('hard'), 'changed');
       return [codeOf(() => fs.appendFileSync(at('hard2'), 'changed')), codeOf(() => fs.writeFileSync(at('soft'), 'changed')),
         codeOf(() => fs.writeFileSync(at('out/new'), 'x')), codeOf(() => fs.writeFileSync(at('../escape'), 'x')), codeOf(() => fs.unlinkSync(at('out/hard')))]`,
      [`${ws}:rw`],
    );
    const denied = 'EACCES';
    // Below /tmp, what no mount has is the plugin's own.
    expect(await run(engine, { ws })).toEqual([denied, denied, denied, null, denied]);
    expect(existsSync(join(ws, '../escape'))).toBe(false);
    expect(readFileSync(join(other, 'hard'), 'utf8')).toBe('kept');
    expect(readFileSync(join(other, 'soft'), 'utf8')).toBe('kept');
    expect(existsSync(join(other, 'new'))).toBe(false);
  });

  it('does not write a file that its owner made read-only, and keeps a file’s mode', async () => {
    const ws = workspace();
    writeFileSync(join(ws, 'run.sh'), '#!/bin/sh', { mode: 0o750 });
    const engine = await start(`fs.writeFileSync(join(input.ws, 'run.sh'), 'x'); return 1`, [
      `${ws}:rw`,
    ]);
    await run(engine, { ws });
    expect(statSync(join(ws, 'run.sh')).mode & 0o777).toBe(0o750);
  });

  it('cannot be written with a grant to read', async () => {
    const ws = workspace();
    const engine = await start(
      `return [codeOf(() => fs.writeFileSync(join(input.ws, 'x'), '')), await later(fs.promises.writeFile(join(input.ws, 'x'), ''))]`,
      [ws],
    );
    expect(await run(engine, { ws })).toEqual(['EACCES', 'EACCES']);
    expect(existsSync(join(ws, 'x'))).toBe(false);
  });

  it.each([
    ['its own path', (ws: string) => `${ws}:rw`, (ws: string) => ws],
    ['a path in the guest', (ws: string) => `${ws}:/work:rw`, () => '/work'],
  ])('at %s is a copy in a dry run, which reads what it wrote', async (_, scope, placeOf) => {
    const ws = workspace();
    mkdirSync(join(ws, 'sub'));
    writeFileSync(join(ws, 'sub', 'a.txt'), 'a');
    symlinkSync('notes.txt', join(ws, 'link.txt'));
    const engine = await start(
      `const at = (name) => join(input.ws, name);
       fs.writeFileSync(at('notes.txt'), 'new');
       await fs.promises.appendFile(at('made/deep.txt'), 'x').catch(() => fs.promises.mkdir(at('made')));
       await fs.promises.writeFile(at('made/deep.txt'), 'deep');
       await fs.promises.rename(at('sub/a.txt'), at('b.txt'));
       return [fs.readFileSync(at('link.txt'), 'utf8'), await fs.promises.readFile(at('made/deep.txt'), 'utf8'),
         (await fs.promises.readdir(input.ws)).filter((name) => name !== '.git'),
         await later(fs.promises.writeFile(at('.git/config'), 'y'))]`,
      [scope(ws)],
    );
    const place = placeOf(ws);
    const { structured, dryRun } = await engine.call('run', { ws: place }, { dryRun: true });
    expect(structured).toEqual(['new', 'deep', ['b.txt', 'made', 'notes.txt', 'sub'], 'EACCES']);
    expect(dryRun?.map((one) => ('path' in one ? [one.operation, one.path] : one))).toEqual(
      expect.arrayContaining([
        ['write', join(place, 'notes.txt')],
        ['write', join(place, 'made/deep.txt')],
        ['move', join(place, 'sub/a.txt')],
      ]),
    );
    expect(readFileSync(join(ws, 'notes.txt'), 'utf8')).toBe('old');
    expect(readFileSync(join(ws, 'sub/a.txt'), 'utf8')).toBe('a');
    expect([existsSync(join(ws, 'made')), existsSync(join(ws, 'b.txt'))]).toEqual([false, false]);
  });

  it('is not changed in a dry run if it is too large to copy', async () => {
    const ws = workspace();
    writeFileSync(join(ws, 'large'), '');
    truncateSync(join(ws, 'large'), 300 * 1024 * 1024);
    const storageDirectory = makeDirectory();
    const engine = await start(
      `return codeOf(() => fs.writeFileSync(join(input.ws, 'x'), 'y'))`,
      [`${ws}:rw`],
      { storageDirectory },
    );
    const { dryRun } = await engine.call('run', { ws }, { dryRun: true });
    expect(dryRun).toEqual([{ permission: 'fs', operation: 'write', path: join(ws, 'x') }]);
    expect(existsSync(join(ws, 'x'))).toBe(false);
    await expect.poll(() => readdirSync(join(storageDirectory, '.dry-runs'))).toEqual([]);
  });
});

describe('the working directory', () => {
  const body = 'return [ctx.workingDir, fs.existsSync(join(ctx.workingDir, "notes.txt"))]';

  it('is the caller’s, if a mount has it', async () => {
    const ws = workspace();
    const engine = await start(body, [`${ws}:rw`]);
    expect(await run(engine, {}, { workingDir: ws })).toEqual([ws, true]);
  });

  it('of a mount with a guest path is that path', async () => {
    const ws = workspace();
    const engine = await start(body, [`${ws}:/work:rw`]);
    expect(await run(engine, {}, { workingDir: ws })).toEqual(['/work', true]);
    expect(await run(engine, {}, { workingDir: `${ws}/.git` })).toEqual(['/work/.git', false]);
  });

  it('is the first writable mount by default, else the plugin’s own', async () => {
    const ws = workspace();
    expect(await run(await start(body, [`${ws}:rw`]))).toEqual([ws, true]);
    expect(await run(await start(body, [ws]))).toEqual(['/workspace', false]);
  });

  it('that no mount has is not lent by the context, and the denial names the grant', async () => {
    const engine = await start(
      `return [ctx.workingDir, await fs.promises.writeFile(join(ctx.workingDir, 'x'), '').catch((error) => error.message)]`,
      [],
    );
    expect(await run(engine, {}, { workingDir: '/home/me/ws' })).toEqual([
      '/home/me/ws',
      expect.stringContaining('grant the directory with fs: ["/home/me/ws:rw"]'),
    ]);
  });
});

it('a recorded call with synchronous reads replays the same', async () => {
  const ws = workspace();
  const engine = await start(`return fs.readFileSync(join(input.ws, 'notes.txt'), 'utf8')`, [ws]);
  const { recording, content } = await engine.call('run', { ws }, { record: true });
  expect(content).toMatchObject([{ text: 'old' }]);
  writeFileSync(join(ws, 'notes.txt'), 'changed');
  if (recording === undefined) throw new Error('the call was not recorded');
  expect(await engine.replay(recording)).toMatchObject({ same: true });
});
