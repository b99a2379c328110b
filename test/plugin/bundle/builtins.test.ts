import { describe, expect, it } from 'vitest';
import { bundleFiles, runFiles, runUnderSes, type SesJob } from './fixture.js';

async function run(source: string, job: SesJob = {}): Promise<unknown> {
  return runFiles({ 'index.ts': source }, job);
}

describe('the fs built-in', () => {
  const files = { 'data/a.txt': 'héllo', '/etc/b.txt': 'b' };

  it('reads files by the compartment’s readFile', async () => {
    const value = await run(
      `
        import fs, { promises } from 'fs';
        import { readFile } from 'node:fs/promises';
        export const run = async () => [
          await readFile('data/a.txt', 'utf8'),
          (await promises.readFile('data/a.txt')).length,
          await readFile(new URL('./data/a.txt', import.meta.url), { encoding: 'utf-8' }),
          await readFile('/plugin/data/a.txt', 'latin1'),
          await readFile('/etc/b.txt', 'utf8'),
          await new Promise((resolve) => fs.readFile('data/a.txt', 'utf8', (error, text) => resolve([error, text]))),
          await readFile('missing').catch((error) => error.message),
          fs.existsSync('data/a.txt'),
        ];
      `,
      { files },
    );
    expect(value).toEqual([
      'héllo',
      6,
      'héllo',
      'hÃ©llo',
      'b',
      [null, 'héllo'],
      'no such file: missing',
      false,
    ]);
  });
});

describe('the process built-in', () => {
  it("has the granted variables and no data of the host's process", async () => {
    const source = `
      import proc, { env } from 'node:process';
      const { HOME, API_KEY = 'default' } = process.env;
      export const run = () => {
        process.env.OWN = 5 as any;
        const seen = [HOME, API_KEY, 'API_KEY' in process.env, process.env.OWN, Object.keys(process.env), env === proc.env];
        delete process.env.API_KEY;
        return [...seen, process.env.API_KEY, { ...process.env }, process.env.NODE_ENV, process.cwd(), process.pid, process.argv.length, process.version, { ...process.versions }];
      };
    `;
    expect(await run(source, { env: { API_KEY: 'k' } })).toEqual([
      null,
      'k',
      true,
      '5',
      ['OWN'],
      true,
      null,
      { OWN: '5' },
      'production',
      '/plugin',
      1,
      2,
      '',
      {},
    ]);
    expect((await run(source)) as unknown[]).toContain('default');
  });

  it('writes to the console, and runs nextTick in a microtask', async () => {
    const bundle = await bundleFiles({
      'index.ts': `export const run = async () => { process.stdout.write('out\\n'); process.stderr.write('err'); const order = []; process.nextTick((x) => order.push(x), 'tick'); order.push('now'); await null; return order };`,
    });
    expect(await runUnderSes(bundle, { call: 'run' })).toMatchObject({
      value: ['now', 'tick'],
      logs: ['out', 'err'],
    });
  });
});

describe('the globals of Node', () => {
  it('are injected if the code uses them', async () => {
    const value = await run(`
      export const run = async () => [
        Buffer.from('hi').toString('base64'),
        typeof process,
        await new Promise((resolve) => setImmediate(resolve, 'soon')),
        typeof global === 'object' && global === globalThis,
        process.env.NODE_ENV,
      ];
    `);
    expect(value).toEqual(['aGk=', 'object', 'soon', true, 'production']);
  });

  it('are found by packages on the global object, and not by the plugin itself', async () => {
    const value = await runFiles(
      {
        'index.ts': `
          import { key, had, kept, sought } from 'reader';
          export const run = () =>
            [key('API_KEY'), key('OTHER'), had, kept, sought, typeof globalThis.process, 'process' in globalThis];
        `,
        'node_modules/reader/package.json':
          '{ "name": "reader", "type": "module", "main": "index.js" }',
        'node_modules/reader/index.js': `
          const process = globalThis.process;
          export const had = typeof globalThis?.process;
          export const key = (name) => globalThis.process.env?.[name] ?? 'absent';
          delete globalThis.process;
          export const kept = [process === globalThis.process, 'globalThis.process'];
          export const sought = [
            'process' in globalThis, "process" in global && !('Deno' in globalThis), 'process' in {}, "'process' in globalThis",
          ];
        `,
      },
      { env: { API_KEY: 'k' } },
    );
    expect(value).toEqual([
      'k',
      'absent',
      'object',
      [true, 'globalThis.process'],
      [true, true, false, "'process' in globalThis"],
      'undefined',
      false,
    ]);
  });

  it('are not injected if the code does not use them', async () => {
    const { code } = await bundleFiles({ 'index.ts': 'export const run = () => 1;' });
    expect(code).not.toMatch(/Buffer|nextTick|setImmediate/);
    expect(code.length).toBeLessThan(500);
  });
});

describe('a package that polyfills fetch', () => {
  it.each(['node-fetch', 'cross-fetch'])("is the plugin's own fetch: %s", async (name) => {
    const value = await run(
      `import fetched, { fetch } from '${name}'; const { default: required } = require('${name}'); export const run = async () => [await (await fetched('https://a.test/')).text(), (await fetch('x')).status, typeof required];`,
      { fetch: true },
    );
    expect(value).toEqual(['fetched', 200, 'function']);
  });
});

describe('undici', () => {
  it('sends over the plugin’s own fetch, and without it says which permission is missing', async () => {
    const source = `import undici, { fetch, request, Pool } from 'undici';
      const attempt = (use) => use().then((answer) => answer.statusCode, (error) => error.code);
      export const run = async () => [typeof undici.request, await attempt(() => request('https://a.test/')), await attempt(() => new Pool('https://a.test').request({ path: '/' }))];`;
    expect(await run(source)).toEqual(['function', 'NETWORK_DENIED', 'NETWORK_DENIED']);
    const fetched = `import undici, { fetch } from 'undici'; export const run = async () => [await (await fetch('https://a.test/')).text(), typeof undici.Headers];`;
    expect(await run(fetched, { fetch: true })).toEqual(['fetched', expect.any(String)]);
  });

  it('refuses what it does not have, by its own name', async () => {
    const source = `import { ProxyAgent } from 'undici'; export const run = async () => { try { new ProxyAgent('http://p.test') } catch (error) { return error.message } };`;
    expect(await run(source)).toMatch(/^undici\.ProxyAgent is refused/);
  });
});

describe('the other built-ins', () => {
  it('work under SES', async () => {
    const value = await run(`
      import assert from 'assert';
      import strict from 'assert/strict';
      import { AsyncLocalStorage } from 'async_hooks';
      import crypto from 'crypto';
      import { channel } from 'diagnostics_channel';
      import EventEmitter, { once } from 'events';
      import { isIP } from 'net';
      import os from 'os';
      import path from 'path';
      import punycode from 'punycode';
      import querystring from 'querystring';
      import { Readable, Transform } from 'stream';
      import { pipeline } from 'stream/promises';
      import { StringDecoder } from 'string_decoder';
      import { setTimeout as wait } from 'timers/promises';
      import tty from 'tty';
      import url, { fileURLToPath } from 'url';
      import util, { promisify, types } from 'util';
      const thrown = (run) => { try { run(); return undefined } catch (error) { return error.code } };
      export const run = async () => {
        const emitter = new EventEmitter();
        const event = once(emitter, 'x');
        emitter.emit('x', 1);
        const storage = new AsyncLocalStorage();
        const chunks = [];
        const shout = new Transform({ transform(chunk, _, done) { done(null, chunk + '!') } });
        await pipeline(Readable.from(['a']), shout, async (source) => { for await (const chunk of source) chunks.push(String(chunk)) });
        for await (const chunk of Readable.from(['s'])) chunks.push(chunk);
        return {
          assert: [thrown(() => assert(0)), thrown(() => assert.equal(1, '1')), thrown(() => strict.equal(1, '1')), thrown(() => assert.deepStrictEqual({ a: [1] }, { a: [1] }))],
          storage: storage.run(4, () => storage.getStore()),
          hash: crypto.createHash('sha256').update('abc').digest('hex').slice(0, 8),
          channel: channel('x').hasSubscribers,
          event: await event,
          ip: [isIP('::1'), isIP('1.2.3.4'), isIP('x')],
          os: [os.EOL, os.platform(), os.cpus().length],
          path: path.relative('/a/b', '/a/c'),
          punycode: punycode.toASCII('é.com'),
          query: querystring.parse('a=1&a=2').a,
          chunks,
          text: new StringDecoder().write(Buffer.from('é')),
          wait: await wait(1, 'waited'),
          tty: tty.isatty(1),
          url: [url.parse('http://a.co/b?c=1').pathname, fileURLToPath('file:///a%20b')],
          util: [util.format('%s-%d', 'a', 1), util.inspect({ a: [1] }), await promisify((x, done) => done(null, x))(3), types.isDate(new Date(0))],
        };
      };
    `);
    expect(value).toEqual({
      assert: ['ERR_ASSERTION', null, 'ERR_ASSERTION', null],
      storage: 4,
      hash: 'ba7816bf',
      channel: false,
      event: [1],
      ip: [6, 4, 0],
      os: ['\n', 'linux', 0],
      path: '../c',
      punycode: 'xn--9ca.com',
      query: ['1', '2'],
      chunks: ['a!', 's'],
      text: 'é',
      wait: 'waited',
      tty: false,
      url: ['/b', '/a b'],
      util: ['a-1', '{ a: [ 1 ] }', 3, true],
    });
  });
});
