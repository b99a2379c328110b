import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeServer } from '../engine/mcp-on-disk.js';
import { describe, expect, it } from 'vitest';
import { suggestPermissions } from '../../src/index.js';
import type { Suggestion } from '../../src/index.js';
import { makeDirectory, makePlugin } from '../engine/plugin-on-disk.js';
import { makeVellum } from '../engine/vellum-on-disk.js';

const RUN = 'export const tools = [{ id: "run", execute: async (input: any) => run(input) }];';

/** The suggestion for a plugin with that source. */
async function suggested(
  source: string,
  files: Readonly<Record<string, string>> = {},
): Promise<Pick<Suggestion, 'permissions' | 'items' | 'open'>> {
  return suggestPermissions(makePlugin({ source: `${source}\n${RUN}`, files }));
}

describe('suggestPermissions', () => {
  it.each([
    ['Date.now()', { time: true }],
    ['new Date()', { time: true }],
    ['new Date(5).getTime()', {}],
    ['performance.now()', { time: true }],
    ['Math.random()', { random: true }],
    ['Math.floor(1)', {}],
    [`fetch('https://api.example.com/v1?q=1')`, { network: ['https://api.example.com'] }],
    [
      'fetch(`https://api.example.com:8443/v1/${x}`)',
      { network: ['https://api.example.com:8443'] },
    ],
    [`fetch(new URL('/v1', 'https://api.example.com'))`, { network: ['https://api.example.com'] }],
    [`fetch('https://api.example.com' + x)`, {}],
    ['fetch(`${x}.example.com`)', {}],
    ['process.env.API_KEY', { env: ['API_KEY'] }],
    [`process.env['API_KEY']`, { env: ['API_KEY'] }],
    [`storage.read('a')`, { storage: true }],
    [`powers.generation({})`, { powers: ['generation'] }],
    [`powers['chats.read']({})`, { powers: ['chats.read'] }],
    [`readFile('./pages/a.md')`, { fs: ['pages/a.md'] }],
    [`readFile('/srv/notes/a.md')`, { fs: ['/srv/notes/a.md'] }],
  ])('suggests for %s: %j', async (code, permissions) => {
    const found = await suggested(
      `declare const storage: any, powers: any, readFile: any, x: any; async function run(x: any) { return ${code}; }`,
    );
    expect(found.permissions).toEqual(permissions);
  });

  it.each([
    [`const http = { scheme: 'http' }; exports.kinds = { http };`, 0],
    [`const http = process.env.PROXY || 'none'; exports.proxies = { http };`, 0],
    ['function http() {} exports.kinds = { http };', 0],
    // A module that is passed on is still one.
    ['exports.send = (http) => http.get("https://api.example.com");', 1],
    ['exports.send = (http = {}) => http.get("https://api.example.com");', 1],
    [
      'const http = require("./kept.cjs"); exports.send = () => http.get("https://api.example.com");',
      1,
    ],
  ])('takes no other variable for a module because of its name: %s', async (code, count) => {
    const found = await suggested(
      `import * as methods from './methods.cjs'; import * as other from './other.cjs';
      const run = () => [methods, other];`,
      {
        'methods.cjs': `const http = require('http'); exports.names = () => http.METHODS;`,
        'other.cjs': code,
        'kept.cjs': 'exports.get = () => 1;',
      },
    );
    const requests = [...found.items, ...found.open].filter(
      ({ permission }) => permission === 'network',
    );
    expect(requests.map(({ at }) => at.split(':')[0])).toEqual(
      Array.from({ length: count }, () => 'other.cjs'),
    );
  });

  it.each([
    [`import get from 'node-fetch';`, `get('https://api.example.com/v1')`],
    [`import { fetch as get } from 'undici';`, `get('https://api.example.com/v1')`],
    [`const get = require('cross-fetch');`, `get('https://api.example.com/v1')`],
    ['', `require('cross-fetch')('https://api.example.com/v1')`],
    ['', `require('undici').fetch('https://api.example.com/v1')`],
    ['', `require('https').get('https://api.example.com/v1')`],
    ['', `(await import('node-fetch')).default('https://api.example.com/v1')`],
  ])('finds the requests of a fetch that is imported: %s', async (load, code) => {
    const found = await suggested(
      `${load} declare const require: any; const run = async () => ${code};`,
    );
    expect(found).toMatchObject({
      permissions: { network: ['https://api.example.com'] },
      open: [],
    });
  });

  it.each([
    [`mkdirSync('notes'); return readdirSync('notes')`, { storage: true }],
    ['writeFileSync(`notes/${x}.md`, x); return readFileSync(`notes/${x}.md`)', { storage: true }],
    [
      `writeFileSync('a.json', x); return readFileSync('b.json')`,
      { storage: true, fs: ['b.json'] },
    ],
    // The plugin ships this one.
    [`writeFileSync('lib/x.txt', x); return readdirSync('lib')`, { storage: true, fs: ['lib'] }],
    [`writeFileSync('/srv/notes/a.md', x)`, { fs: ['/srv/notes:rw'] }],
    [
      `writeFileSync('/srv/notes/a.md', x); readFileSync('/srv/notes/a.md')`,
      { fs: ['/srv/notes:rw'] },
    ],
    ['writeFileSync(`/srv/notes/${x}`, x)', { fs: ['/srv/notes:rw'] }],
    [`mkdirSync('/srv/notes')`, { fs: ['/srv/notes:rw'] }],
    [`openSync('/srv/notes/a.md', 'w')`, { fs: ['/srv/notes:rw'] }],
    [`openSync('/srv/notes/a.md')`, { fs: ['/srv/notes/a.md'] }],
    [`copyFileSync('pages/a.md', '/srv/notes/a.md')`, { fs: ['/srv/notes:rw', 'pages/a.md'] }],
    [`renameSync('/srv/old/a.md', '/srv/new/a.md')`, { fs: ['/srv/new:rw', '/srv/old:rw'] }],
    [`writeFileSync('/tmp/a.md', x)`, { storage: true }],
    [`writeFileSync('/dev/null', x)`, {}],
    [`writeFileSync('/a.md', x)`, {}],
    [`require('fs').writeFileSync('/srv/notes/a.md', x)`, { fs: ['/srv/notes:rw'] }],
    [`(await import('node:fs/promises')).readFile('/srv/a.md')`, { fs: ['/srv/a.md'] }],
  ])('suggests for files that are written, %s: %j', async (code, permissions) => {
    const found = await suggested(
      `import { copyFileSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
       declare const require: any; export async function run(x: any) { ${code}; }`,
      { 'lib/x.txt': 'x' },
    );
    expect(found.permissions).toEqual(permissions);
  });

  it.each([
    [`import get from 'node-fetch';`, `((fetch = get) => fetch)()`],
    [`import get from 'cross-fetch';`, `({ fetch: x ?? get })`],
    [`const { default: get } = require('cross-fetch');`, `({ fetch: get })`],
    [`import * as undici from 'undici';`, `x(undici.fetch)`],
    [`import http from 'node:http'; import https from 'node:https';`, `x ? https : http`],
    [`const http = require('http'), https = require('https');`, `x ? https : http`],
    [`const http = require('http');`, `({ http })`],
    ['', `x ? x.fetch : (await import('node-fetch')).default`],
    ['', `({ transport: require('https') })`],
    ['', `(x.transport = require('https'))`],
    ['', `x(require('https'))`],
  ])('finds a fetch, or its module, that other code gets: %s %s', async (load, code) => {
    const found = await suggested(
      `${load} declare const require: any; const run = async (x: any) => { const passed = ${code}; return passed; };`,
    );
    expect(found.open.map(({ permission, what }) => `${permission}: ${what}`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^network: [\w-]+ of an address that is built at run time$/),
      ]),
    );
  });

  it.each([
    [`import get from 'node-fetch';`, `typeof get === 'function'`],
    [`import * as all from 'cross-fetch';`, `all && x instanceof all.Headers`],
    [`import { Headers } from 'node-fetch';`, `new Headers(x)`],
    [`import http from 'node:http';`, `http.STATUS_CODES[x]`],
    [`const http = require('http');`, `[http.METHODS, new http.Agent(x)]`],
    [`const { STATUS_CODES } = require('http');`, `STATUS_CODES[x]`],
    ['', `require('http').STATUS_CODES[x]`],
    ['', `(await import('node-fetch')).Headers`],
  ])('needs no network for a part of it that sends nothing: %s %s', async (load, code) => {
    const found = await suggested(
      `${load} declare const require: any; const run = async (x: any) => { const passed = ${code}; return passed; };`,
    );
    expect(found).toMatchObject({ permissions: {}, open: [] });
  });

  it('ignores names that the code declares itself', async () => {
    const found = await suggested(
      `function run(fetch: any) { const Date = { now: () => 1 }; const process = { env: { KEY: 1 } }; { let Math = { random: () => 1 }; Math.random(); } fetch('https://no.example.com'); return Date.now() + process.env.KEY; }`,
    );
    expect(found).toMatchObject({ permissions: {}, items: [], open: [] });
  });

  it('follows constants, including those of other files', async () => {
    const found = await suggested(
      `import { HOST } from './lib/host'; const API = \`\${HOST}/v2\`; async function run() { await fetch(\`\${API}/x\`); let where = HOST; where = String(1); return fetch(where); }`,
      { 'lib/host.ts': `export const HOST = 'https://api.example.com';` },
    );
    expect(found.permissions).toEqual({ network: ['https://api.example.com'] });
    expect(found.open).toMatchObject([{ permission: 'network', at: 'index.ts:1:154' }]);
  });

  it.each([
    [`const url = new URL('https://api.example.com/v1'); url.searchParams.set('q', x);`, 'url'],
    [`const api = (path) => new URL(path, 'https://api.example.com');`, `api('/v1')`],
    [
      `function api(path) { const base = 'https://api.example.com/'; return base + path; }`,
      `api(x)`,
    ],
    [`const { base = 'https://api.example.com/' } = x;`, 'base + x'],
  ])('follows variables by their scope: %s', async (before, address) => {
    const others = `const other = (url, base, api) => [url + 1, base, api]; let url = 1; { const base = 2, api = 3; let x = 'https://other.example.com'; x += base; }`;
    const found = await suggested(
      `// @ts-nocheck\n${others} url = 2; async function run(x) { ${before} return fetch(${address}); }`,
    );
    expect(found).toMatchObject({
      permissions: { network: ['https://api.example.com'] },
      open: [],
    });
  });

  it.each([
    `const api = async (path) => 'https://api.example.com' + path; const run = () => fetch(api('/'));`,
    `function* api() { return 'https://api.example.com/'; } const run = () => fetch(api());`,
    `const url = 'https://api.example.com/'; const run = (url) => fetch(url);`,
    `const api = () => { for (;;) { return 'https://api.example.com/'; } }; const run = () => fetch(api());`,
  ])('does not take another text for an address: %s', async (code) => {
    const found = await suggested(`// @ts-nocheck\n${code}`);
    expect(found.permissions).toEqual({});
    expect(found.open[0]).toMatchObject({ what: expect.stringContaining('built at run time') });
  });

  it('names the file, line and column in the plugin’s sources', async () => {
    const found = await suggested(`import { now } from './lib/clock';\nconst run = () => now();`, {
      'lib/clock.ts': `interface Clock { readonly at: number }\n\nexport const now = (): Clock =>\n  ({ at: Date.now() });`,
    });
    expect(found.items).toEqual([
      { permission: 'time', scope: 'true', why: 'Date.now', at: 'lib/clock.ts:4:10' },
    ]);
  });

  it('reports uses whose scope is unknown, and hosts that the code names', async () => {
    const found = await suggested(
      `const HOSTS = { eu: 'https://eu.example.com', us: 'https://us.example.com' }; async function run({ region, path, key }: any) { await fetch(HOSTS[region as 'eu']); (globalThis as any).x = process.env[key]; return import('node:fs').then((fs) => fs.readFileSync(path)); }`,
    );
    expect(found.permissions).toEqual({});
    expect(found.open.map(({ permission, what }) => `${permission}: ${what}`)).toEqual(
      expect.arrayContaining([
        'network: fetch of an address that is built at run time',
        'network: the code names https://eu.example.com and may fetch it',
        'network: the code names https://us.example.com and may fetch it',
        'env: process.env with a name that is built at run time',
      ]),
    );
  });

  it('finds variables of a tool’s context by other names', async () => {
    const found = await suggested(
      `function run(context: any) {
         const { env: given } = context; const values = context.env;
         return given.A_KEY + values.B_KEY + ((c: any) => c.env['C_KEY'])(context) + context.other.D_KEY;
       }`,
    );
    expect(found.permissions).toEqual({ env: ['A_KEY', 'B_KEY', 'C_KEY'] });
  });

  it('finds variables that a function reads by name; those of a package are questions', async () => {
    const read = `const read = (name) => process.env[name]?.trim();`;
    const found = await suggested(
      `import { key } from 'service'; ${read.replace('name', 'name: string')}
       function run() { return [read('OWN_KEY'), key()]; }`,
      {
        'node_modules/service/package.json': '{ "name": "service", "main": "index.js" }',
        'node_modules/service/index.js': `const read = (name) => globalThis.process?.env?.[name]; exports.key = () => read('SERVICE_KEY') ?? read('bad name');`,
      },
    );
    expect(found.permissions).toEqual({ env: ['OWN_KEY'] });
    expect(found.open).toEqual([
      {
        permission: 'env',
        scope: 'SERVICE_KEY',
        what: 'process.env.SERVICE_KEY, which the package reads if it is set',
        at: expect.stringMatching(/^node_modules\/service\/index\.js:1:/),
      },
    ]);
  });

  it('finds the clock and randomness that a package takes from the global object', async () => {
    const found = await suggested(
      `import { at } from 'taken'; function run() { return at(globalThis); }`,
      {
        'node_modules/taken/package.json': '{ "name": "taken", "main": "index.js" }',
        'node_modules/taken/index.js': `exports.at = function (context) { var Date = context.Date, Math = context.Math; return [Date.now(), Math.random()]; };`,
      },
    );
    expect(found.permissions).toEqual({ time: true, random: true });
  });

  it('finds powers that a package takes from globalThis, and not those that it only names', async () => {
    const found = await suggested(
      `import { client } from 'client'; async function run() { return client().then((answer: any) => answer.url); }`,
      {
        'node_modules/client/package.json': '{ "name": "client", "main": "index.js" }',
        'node_modules/client/index.js': `exports.client = ({ fetch: send = globalThis.fetch } = {}) => send('https://api.example.com/x'); exports.is = globalThis.Array;`,
      },
    );
    expect(found.open.map(({ permission, what }) => [permission, what])).toEqual([
      ['network', 'fetch of an address that is built at run time'],
      ['network', 'the code names https://api.example.com and may fetch it'],
    ]);
    expect(found.permissions).toEqual({});
  });

  it('maps writes by node:fs to storage and reads of shipped files to fs', async () => {
    const found = await suggested(
      `import fs from 'node:fs'; import { readFile } from 'fs/promises'; import * as path from 'path'; import { fileURLToPath } from 'node:url';
       const here = path.dirname(fileURLToPath(import.meta.url));
       async function run() {
         fs.writeFileSync('state.json', ''); const { readdir } = await import('node:fs/promises');
         return [await readFile(path.join(here, 'templates', 'a.txt')), fs.readFileSync(new URL('./data/cities.json', import.meta.url)), await readdir(path.resolve('pages')), require('fs').existsSync('/workspace/x')];
       }`,
      { 'data/cities.json': '{}' },
    );
    expect(found.permissions).toEqual({
      storage: true,
      fs: ['data/cities.json', 'pages', 'templates/a.txt'],
    });
  });

  it('omits a scope that another covers, and reports a use that no permission allows', async () => {
    const found = await suggested(
      `import { execSync } from 'node:child_process'; declare const readFile: any; const run = async () => [await readFile('pages'), await readFile('pages/a.md'), execSync('ls')];`,
    );
    expect(found.permissions).toEqual({ fs: ['pages'] });
    expect(found.open).toMatchObject([
      { permission: 'none', what: 'child_process.execSync: no permission allows it' },
    ]);
  });

  it('reads Vellum’s tools and hooks and their uses of the plugin API', async () => {
    const found = await suggestPermissions(
      makeVellum({
        tools: {
          a: 'import { resolveCredential } from "@vellumai/plugin-api"; export default { execute: async () => fetch("https://a.example.com") && resolveCredential("sample/key") };',
        },
        hooks: { stop: 'export default () => { Date.now(); };' },
      }),
    );
    expect(found).toMatchObject({
      format: 'vellum',
      manifest: 'package.json',
      permissions: { time: true, network: ['https://a.example.com'], powers: ['credentials'] },
    });
    expect(found.items.map(({ at }) => at.split(':')[0])).toEqual(
      expect.arrayContaining(['tools/a.ts', 'hooks/stop.ts']),
    );
  });

  it('reads Spindle’s extensions', async () => {
    const directory = makeDirectory();
    writeFileSync(
      join(directory, 'spindle.json'),
      JSON.stringify({
        version: '1.0.0',
        name: 'S',
        identifier: 'sample',
        author: 'a',
        github: 'https://github.com/a/b',
        permissions: [],
        entry_backend: 'backend.js',
      }),
    );
    writeFileSync(
      join(directory, 'backend.js'),
      `spindle.registerTool({ name: 'x' }); spindle.storage.setJson('a', {}); spindle.log.info('x'); spindle.cors('https://api.example.com/' + spindle);`,
    );
    expect(await suggestPermissions(directory)).toMatchObject({
      format: 'spindle',
      permissions: { storage: true, network: ['https://api.example.com'] },
    });
  });

  it('does not run the code, and suggests no invalid scope', async () => {
    const found = await suggested(
      `throw new Error('run'); const run = () => [fetch('https://*/'), process.env['not a name'], readFile('../up')]; declare const readFile: any;`,
    );
    expect(found.permissions).toEqual({});
    expect(found.open).toHaveLength(3);
  });

  it('reads code in time whose constants lead to many others', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `c${index}`);
    const constants = names.map((name, index) => {
      const next = `\${${names[index + 1] ?? '"https://api.example.com/"'}}`;
      return `const ${name} = \`${next.repeat(40)}\`;`;
    });
    const found = await suggested(
      `// @ts-nocheck\n${constants.toReversed().join('\n')}\nconst run = () => fetch(c0);`,
    );
    expect(found.permissions).toEqual({ network: ['https://api.example.com'] });
  });

  it('fails with BUNDLE_FAILED if the code is nested too deeply', async () => {
    const deep = `export const deep = ${'['.repeat(1_500)}${']'.repeat(1_500)};`;
    await expect(suggested(deep)).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringContaining('nested too deeply'),
    });
  });
});

describe('the suggestion for an MCP server', () => {
  it.each([
    ['export const web = crypto; run();', true],
    ['const draw = (c = crypto) => c; draw();', true],
    ['const { subtle } = crypto; subtle.digest("SHA-1", new Uint8Array());', undefined],
    ['if (typeof crypto !== "undefined" && crypto) run();', undefined],
    ['crypto.subtle.digest("SHA-1", new Uint8Array());', undefined],
    ['crypto.randomUUID();', true],
  ])('for code that takes crypto: %s', async (code, random) => {
    const directory = makeServer({ program: `const run = () => 1; ${code}` });
    const { permissions } = await suggestPermissions(directory);
    expect(permissions.random).toBe(random);
  });
});
