import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeDirectory, makePlugin, startEngine } from './plugin-on-disk.js';

const DATA = '/workspace/plugins/sample/data';

/** A plugin whose tools are these bodies, in a module that imports what real plugins import. */
function plugin(tools: Readonly<Record<string, string>>, permissions: object, files = {}) {
  const list = Object.entries(tools).map(
    ([id, body]) =>
      `{ id: '${id}', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: async (input) => { ${body} } }`,
  );
  const source = `import fs, { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
    import { readFile, writeFile, appendFile, mkdir, readdir, stat, access, rm, unlink, rename, copyFile } from 'node:fs/promises';
    import path from 'node:path'; import os from 'node:os';
    const DATA = '${DATA}'; const codeOf = (e) => e.code;
    export const tools = [${list.join(',\n')}]`;
  return makePlugin({ permissions, source, files });
}

describe('files through Node’s promises', () => {
  it('are written, read, listed and removed in the plugin’s own storage', async () => {
    const storageDirectory = makeDirectory();
    const engine = await startEngine(
      [
        plugin(
          {
            run: `await mkdir(path.join(DATA, 'a/b'), { recursive: true });
              await writeFile(path.join(DATA, 'a/b/x.json'), JSON.stringify({ one: 1 }));
              await appendFile(DATA + '/log.txt', 'first\\n'); await appendFile(DATA + '/log.txt', Buffer.from('second\\n'));
              await copyFile(DATA + '/log.txt', DATA + '/copy.txt'); await rename(DATA + '/copy.txt', DATA + '/a/moved.txt');
              const typed = (await readdir(DATA, { withFileTypes: true })).map((e) => [e.name, e.isDirectory(), e.isFile()]);
              const all = await readdir(DATA, { recursive: true });
              const { size } = await stat(DATA + '/log.txt');
              await unlink(DATA + '/log.txt'); await rm(DATA + '/a/b', { recursive: true, force: true }); await rm(DATA + '/none', { force: true });
              return [typed, all, size, await readdir(DATA + '/a'), JSON.parse(await readFile(DATA + '/a/moved.txt', 'utf8').then(JSON.stringify)), (await readFile(DATA + '/a/moved.txt')).length]`,
            missing: `return [await readFile(DATA + '/none').catch(codeOf), await access(DATA + '/none').catch(codeOf), await stat(DATA + '/none').catch(codeOf),
              await mkdir(DATA).catch(codeOf), await unlink(DATA + '/none').catch(codeOf), await readdir(DATA + '/none').catch(codeOf), await stat(DATA).then((s) => s.isDirectory())]`,
          },
          { storage: true },
        ),
      ],
      { storageDirectory },
    );
    expect((await engine.call('run', {})).value).toEqual([
      [
        ['a', true, false],
        ['log.txt', false, true],
      ],
      ['a', 'log.txt', 'a/b', 'a/b/x.json', 'a/moved.txt'].toSorted(
        (a, b) => a.split('/').length - b.split('/').length || (a < b ? -1 : 1),
      ),
      13,
      ['moved.txt'],
      'first\nsecond\n',
      13,
    ]);
    expect((await engine.call('missing', {})).value).toEqual([
      'ENOENT',
      'ENOENT',
      'ENOENT',
      'EEXIST',
      'ENOENT',
      'ENOENT',
      true,
    ]);
    const kept = join(storageDirectory, 'sample/data/a/moved.txt');
    expect(readFileSync(kept, 'utf8')).toBe('first\nsecond\n');
  });

  it('lie beside the plugin’s own files, in its working directory and in temporary places', async () => {
    const engine = await startEngine(
      [
        plugin(
          {
            run: `const here = new URL('./data/x.txt', import.meta.url);
              await writeFile(here, 'data'); await writeFile('relative.txt', 'work'); await writeFile(path.join(os.tmpdir(), 't.txt'), 'tmp'); await writeFile(path.join(os.homedir(), '.rc'), 'home');
              return Promise.all([readFile(DATA + '/x.txt', 'utf8'), readFile('/plugin/relative.txt', 'utf8'), readFile('/workspace/plugins/sample/relative.txt', 'utf8'), readFile('/tmp/t.txt', 'utf8'), readFile('/home/plugin/.rc', 'utf8'), readdir(DATA)])`,
          },
          { storage: true },
        ),
      ],
      { storageDirectory: makeDirectory() },
    );
    expect((await engine.call('run', {})).value).toEqual([
      'data',
      'work',
      'work',
      'tmp',
      'home',
      ['x.txt'],
    ]);
  });

  it('read what the filesystem permission lends, if storage has no file of that name', async () => {
    const engine = await startEngine(
      [
        plugin(
          {
            run: `const before = await readFile(new URL('./pages/a.md', import.meta.url), 'utf8');
              await writeFile('pages/a.md', 'own');
              return [before, await readFile('pages/a.md', 'utf8'), await readdir('pages'), (await stat('pages/b.md')).size, await readFile('secret.txt', 'utf8').catch(codeOf), await readFile('/etc/passwd').catch((e) => e.code + ' ' + e.message)]`,
          },
          { storage: true, fs: ['pages'] },
          { 'pages/a.md': 'theirs', 'pages/b.md': '12', 'secret.txt': 's' },
        ),
      ],
      { storageDirectory: makeDirectory() },
    );
    expect((await engine.call('run', {})).value).toEqual([
      'theirs',
      'own',
      ['a.md', 'b.md'],
      2,
      'EACCES',
      expect.stringMatching(
        /^EACCES EACCES: permission denied, '\/etc\/passwd': Filesystem denied: .*--allow fs:\/etc\/passwd.* add "fs": \["\/etc\/passwd"\] to "permissions"/,
      ),
    ]);
  });

  it('say once that they are denied', async () => {
    const engine = await startEngine([
      plugin(
        { run: `return await readdir('pages').catch((error) => error.message)` },
        {},
        { 'pages/a.md': 'theirs' },
      ),
    ]);
    const { content } = await engine.call('run', {});
    expect(content[0]?.text?.match(/EACCES/g)).toHaveLength(1);
  });

  it('say which grant would allow them if nothing is granted', async () => {
    const engine = await startEngine([
      plugin(
        {
          write: `await writeFile(DATA + '/a', 'x')`,
          read: `return readFile(DATA + '/a')`,
          elsewhere: `return readFile('/etc/passwd')`,
          now: `return writeFileSync(DATA + '/a', 'x')`,
          there: `return existsSync(DATA)`,
        },
        {},
      ),
    ]);
    for (const tool of ['write', 'read', 'now']) {
      expect(await engine.call(tool, {})).toMatchObject({
        code: 'STORAGE_DENIED',
        content: [{ text: expect.stringContaining('"storage": true') }],
      });
    }
    expect(await engine.call('elsewhere', {})).toMatchObject({ code: 'FILESYSTEM_DENIED' });
    expect(await engine.call('there', {})).toMatchObject({ value: false });
  });
});

describe('files without waiting', () => {
  const tools = {
    run: `if (!existsSync(DATA)) throw new Error('no data directory');
      const file = path.join(DATA, 'state.json'); const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).count : 0;
      mkdirSync(path.join(DATA, 'deep/er'), { recursive: true }); writeFileSync(file, JSON.stringify({ count: before + 1 }));
      fs.appendFileSync(DATA + '/log.txt', 'x'); fs.writeFileSync(DATA + '/deep/er/a', 'a'); fs.renameSync(DATA + '/deep/er/a', DATA + '/deep/b'); fs.copyFileSync(DATA + '/deep/b', DATA + '/deep/c'); fs.unlinkSync(DATA + '/deep/b');
      return [before, fs.readdirSync(DATA, { withFileTypes: true }).map((e) => e.name + (e.isDirectory() ? '/' : '')), fs.statSync(file).size, fs.readFileSync(DATA + '/log.txt').length, fs.readdirSync(DATA + '/deep')]`,
    read: `return readFileSync(DATA + '/state.json', 'utf8')`,
    waits: `return readFile(DATA + '/state.json', 'utf8')`,
    mixed: `writeFileSync(DATA + '/m', '1'); const seen = await readFile(DATA + '/m', 'utf8'); await writeFile(DATA + '/m', '2'); return [seen, (await readFile(DATA + '/m', 'utf8'))]`,
    faults: `const codes = []; for (const f of [() => readFileSync(DATA + '/none'), () => fs.mkdirSync(DATA), () => fs.rmdirSync(DATA + '/deep'), () => fs.unlinkSync(DATA + '/deep'), () => fs.readdirSync(DATA + '/state.json'), () => fs.writeFileSync(DATA + '/deep', ''), () => fs.writeFileSync('/etc/x', ''), () => fs.statSync('/etc')]) try { f(); codes.push('done') } catch (e) { codes.push(e.code) }
      return [codes, fs.statSync(DATA + '/none', { throwIfNoEntry: false }) === undefined]`,
    full: `writeFileSync(DATA + '/big', 'x'.repeat(3000)); return 'written'`,
  };

  it('are copied before, and written afterwards: the next guest and the host find them', async () => {
    const storageDirectory = makeDirectory();
    const engine = await startEngine([plugin(tools, { storage: true })], { storageDirectory });
    expect(await engine.call('run', {})).toMatchObject({
      value: [0, ['deep/', 'log.txt', 'state.json'], 11, 1, ['c', 'er']],
    });
    expect(readFileSync(join(storageDirectory, 'sample/data/state.json'), 'utf8')).toBe(
      '{"count":1}',
    );
    expect(await engine.call('run', {})).toMatchObject({
      value: [1, ['deep/', 'log.txt', 'state.json'], 11, 2, ['c', 'er']],
    });
    await engine.reload();
    expect(await engine.call('read', {})).toMatchObject({ value: '{"count":2}' });
    expect(await engine.call('waits', {})).toMatchObject({ value: '{"count":2}' });
    expect(await engine.call('mixed', {})).toMatchObject({ value: ['1', '2'] });
    expect(await engine.call('faults', {})).toMatchObject({
      value: [
        ['ENOENT', 'EEXIST', 'ENOTEMPTY', 'EISDIR', 'ENOTDIR', 'EISDIR', 'EACCES', 'EACCES'],
        true,
      ],
    });
  });

  it('fail the call if the host refused the write', async () => {
    const engine = await startEngine([plugin(tools, { storage: true })], {
      storageDirectory: makeDirectory(),
      limits: { maxStorageBytes: 2_000 },
    });
    expect(await engine.call('full', {})).toMatchObject({ code: 'STORAGE_LIMIT' });
    expect(await engine.call('run', {})).toMatchObject({ isError: false });
  });

  it('see what another guest of the plugin wrote, from the next call on', async () => {
    const source = `import { appendFileSync, readFileSync } from 'node:fs';
      const tool = (id, permissions) => ({ id, name: 'n', description: 'd', annotations: { readOnlyHint: true }, permissions, execute: async ({ text }) => { appendFileSync('${DATA}/log', text); return readFileSync('${DATA}/log', 'utf8') } });
      export const tools = [tool('whole', { storage: true, time: true }), tool('less', { storage: true })]`;
    const engine = await startEngine(
      [makePlugin({ permissions: { storage: true, time: true }, source })],
      { storageDirectory: makeDirectory() },
    );
    const seen = [];
    for (const tool of ['whole', 'less', 'less', 'whole']) {
      seen.push((await engine.call(tool, { text: tool.slice(0, 1) })).value);
    }
    expect(seen).toEqual(['w', 'wl', 'wll', 'wllw']);
  });

  it('are there at the top level of a module, also those that the plugin came with', async () => {
    const source = `import { readFileSync, existsSync } from 'node:fs'; import { join, dirname } from 'node:path'; import { fileURLToPath } from 'node:url';
      const here = dirname(fileURLToPath(import.meta.url)); const template = readFileSync(join(here, 'templates/a.txt'), 'utf8');
      export const tools = [{ id: 'run', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: async () => [template, existsSync(join(here, 'index.ts'))] }]`;
    const engine = await startEngine([
      makePlugin({
        permissions: { fs: ['templates'] },
        source,
        files: { 'templates/a.txt': 'hello' },
      }),
    ]);
    expect(await engine.call('run', {})).toMatchObject({ value: ['hello', false] });
  });
});

describe('files through Bun', () => {
  it('are read and written', async () => {
    const source = `import { file } from 'bun';
      export const tools = [{ id: 'run', name: 'n', description: 'd', annotations: { readOnlyHint: true }, execute: async () => {
        const bytes = await Bun.write('${DATA}/a.json', JSON.stringify({ a: 1 }));
        return [bytes, await Bun.file('${DATA}/a.json').json(), await file('${DATA}/none').exists(), await file('${DATA}/a.json').exists()];
      } }]`;
    const engine = await startEngine([makePlugin({ permissions: { storage: true }, source })], {
      storageDirectory: makeDirectory(),
    });
    expect(await engine.call('run', {})).toMatchObject({ value: [7, { a: 1 }, false, true] });
  });
});
