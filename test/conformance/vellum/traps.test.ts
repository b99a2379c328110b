/** What real plugins do that is easy to get wrong. Imports have a file of their own. */
import { describe, expect, it } from 'vitest';
import { makeDirectory, startEngine } from '../../engine/plugin-on-disk.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { run, valueOf } from './one-tool.js';

describe('text that looks like code', () => {
  it('may stand in strings, templates, expressions and comments', async () => {
    const prelude = `
      // <!-- import("x") --> eval(
      /* --> eval("y") <!-- */
      const html = "<!-- generated --> use import('x') or eval('y')";
      const template = \`<!-- \${1 + 1} --> import(\`;
      const pattern = /<!--|-->|import\\(/;`;
    expect(await valueOf(prelude, '[html, template, pattern.test("<!--")]')).toEqual([
      "<!-- generated --> use import('x') or eval('y')",
      '<!-- 2 --> import(',
      true,
    ]);
  });
});

describe('surroundings', () => {
  it('at the top level: variables, the working directory, the platform', async () => {
    const prelude = `
      const KEY = process.env.SOME_KEY; const HOME = process.env.HOME ?? '/nowhere'; const DEBUG = Boolean(process.env['DEBUG']);
      const CWD = process.cwd(); const { platform, pid } = process; const { NODE_ENV = 'x' } = process.env;`;
    expect(await valueOf(prelude, '[KEY ?? null, HOME, DEBUG, CWD, platform, NODE_ENV]')).toEqual([
      null,
      '/nowhere',
      false,
      '/plugin',
      'linux',
      'production',
    ]);
  });

  it('the file’s own place, by import.meta and fileURLToPath', async () => {
    const prelude = `
      import { fileURLToPath } from 'node:url'; import { dirname, join, resolve } from 'node:path';
      const here = dirname(fileURLToPath(import.meta.url)); const data = join(here, '..', 'data');`;
    expect(
      await valueOf(
        prelude,
        `[here, data, import.meta.dirname, new URL('../x', import.meta.url).pathname]`,
      ),
    ).toEqual(['/plugin/tools', '/plugin/data', '/plugin/tools', '/plugin/x']);
  });

  it('what the web and Node have: Buffer, crypto, URLs, clones, timers, signals', async () => {
    const prelude = `import { createHash } from 'crypto'; import { setTimeout as sleep } from 'node:timers/promises';`;
    const value = await valueOf(
      prelude,
      `[Buffer.from('hi').toString('base64'), createHash('sha256').update('x').digest('hex').slice(0, 8),
        new URL('https://a.b/c?d=e').searchParams.get('d'), structuredClone(new Map([[1, 2]])).get(1),
        await sleep(1, 'slept'), AbortSignal.any([AbortSignal.abort()]).aborted, new TextEncoder().encode('é').length,
        typeof AbortSignal.timeout, typeof queueMicrotask, typeof performance.now]`,
    );
    expect(value).toEqual([
      'aGk=',
      '2d711642',
      'e',
      2,
      'slept',
      true,
      2,
      ...Array.from({ length: 3 }, () => 'function'),
    ]);
  });

  it('a global that the plugin replaces is replaced for itself', async () => {
    const prelude = `
      const real = globalThis.fetch; const asked = [];
      globalThis.fetch = async (url) => { asked.push(String(url)); return new Response('mocked', { headers: new Headers() }); };`;
    const value = await valueOf(
      prelude,
      `[await (await fetch('https://x.test/')).text(), asked, typeof real]`,
      { permissions: { network: ['x.test'] } },
    );
    expect(value).toEqual(['mocked', ['https://x.test/'], 'function']);
  });

  it('a place to keep things that is not in the context is not there, and others are', async () => {
    expect(await valueOf('', `ctx.pluginStorageDir ?? ctx.workingDir ?? process.cwd()`)).toBe(
      '/workspace',
    );
  });

  it('lines to the console, to stderr and to a logger of the plugin’s own', async () => {
    const lines: string[] = [];
    await run(
      `const log = (...args) => console.error('[plugin]', ...args);
       export default { execute() { log('one', { n: 1 }); process.stderr.write('two\\n'); console.debug('three'); return { content: '' }; } };`,
      {},
      { onEvent: (event) => event.type === 'log' && lines.push(event.text) },
    );
    expect(lines).toEqual(['[plugin] one { n: 1 }', 'two', 'three']);
  });
});

describe('exports', () => {
  it.each([
    [
      'an instance of a class',
      `class T { constructor() { this.n = 7; } execute() { return { content: this.n }; } } export default new T();`,
    ],
    [
      'a name that is exported as default',
      `const tool = { execute: () => ({ content: 7 }) }; export { tool as default };`,
    ],
    [
      'what a function makes',
      `const make = (n) => ({ execute: async () => ({ content: n }) }); export default make(7);`,
    ],
    ['a re-export', `export { default } from '../src/tool';`],
    [
      'a frozen object',
      `export default Object.freeze({ execute: () => Object.freeze({ content: 7 }) });`,
    ],
    ['what CommonJS exports', `module.exports = { execute: () => ({ content: 7 }) };`],
    [
      'what needs a while',
      `const n = await Promise.resolve(7); export default { execute: () => ({ content: n }) };`,
    ],
    [
      'a Promise-like object',
      `export default { then: undefined, execute: () => ({ content: 7 }) };`,
    ],
  ])('may be %s', async (_, source) => {
    const result = await run(source, {
      files: { 'src/tool.ts': 'export default { execute: () => ({ content: 7 }) };' },
    });
    expect(result.content).toEqual([{ type: 'text', text: '7' }]);
  });
});

it('a directory may have other surfaces, which are ignored here', async () => {
  const directory = makeDirectory();
  makeVellum(
    {
      tools: {
        tool: `export default { execute: () => ({ content: 'fine' }) };`,
        'tool.test.ts': 'import "vitest"; test();',
      },
      files: {
        'skills/brief/SKILL.md': '# Brief',
        'skills/brief/tools/x.ts': 'export const run = () => {',
        'routes/index.ts': 'export const GET = () => {',
        'schedules/daily/config.json': '{}',
        'mcp.json': '{',
        'apps/ui/index.html': '<',
        'config.json': '{}',
        'data/state.json': '{}',
        'bun.lock': '',
        'tsconfig.json':
          '{ "extends": "../../tsconfig.json", "compilerOptions": { "paths": { "x": ["y"] } } }',
      },
    },
    directory,
  );
  const engine = await startEngine([directory]);
  expect((await engine.call('tool', {})).content[0]?.text).toBe('fine');
});
