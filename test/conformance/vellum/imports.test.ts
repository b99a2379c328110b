/** How real plugins import what they use. */
import { cpSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startEngine } from '../../engine/plugin-on-disk.js';
import { makeVellum } from '../../engine/vellum-on-disk.js';
import { run, valueOf } from './one-tool.js';

describe('imports', () => {
  it('are found without extension, by .js for .ts, in folders, and with .ts', async () => {
    const value = await valueOf(
      `import { a } from '../src/a'; import { b } from '../src/b.js'; import { c } from '../src/c'; import { d } from '../src/d.ts';
       import data from '../data/words.json' with { type: 'json' }; import pkg from '../package.json';`,
      '[a, b, c, d, data.words, pkg.name]',
      {
        files: {
          'src/a.ts': "export const a = 'a';",
          'src/b.ts': "export { b } from './deep/b.js';",
          'src/deep/b.ts': "export const b = 'b';",
          'src/c/index.ts': "export const c = 'c';",
          'src/d.ts': "export const d = 'd' satisfies string;",
          'data/words.json': '{ "words": ["x"] }',
        },
      },
    );
    expect(value).toEqual(['a', 'b', 'c', 'd', ['x'], 'sample']);
  });

  it('of types alone leave nothing behind, written as types or not', async () => {
    const value = await valueOf(
      `import { type ToolContext, ToolExecutionResult } from '@vellumai/plugin-api';
       import type { Shape } from '../src/types'; import { Other } from '../src/types';
       const shape: Shape = { n: 1 }; const other: Other = 'x';
       const f = (ctx: ToolContext): ToolExecutionResult => ({ content: '', isError: false });`,
      '[shape.n, other]',
      {
        files: {
          'src/types.ts': 'export interface Shape { n: number } export type Other = string;',
        },
      },
    );
    expect(value).toEqual([1, 'x']);
  });

  it('may be made inside of a function, of a module of Node’s or of the plugin’s', async () => {
    const value = await valueOf(
      '',
      `[typeof (await import('node:fs/promises')).readFile, (await import('../lib/later')).later, (await import('node:path')).join('a', 'b')]`,
      { files: { 'lib/later.ts': 'export const later = true;' } },
    );
    expect(value).toEqual(['function', true, 'a/b']);
  });

  it('of what is not there may be made where it is tried', async () => {
    const prelude = `let sharp; try { sharp = await import('sharp'); } catch { sharp = undefined; }`;
    expect(await valueOf(prelude, 'sharp === undefined')).toBe(true);
  });

  it('and require may be mixed, in a package of either type', async () => {
    for (const type of ['module', 'commonjs']) {
      const value = await valueOf(
        `import { join } from 'path'; const { basename } = require('node:path'); const helper = require('../lib/helper.cjs');`,
        `[join('a', 'b'), basename('/x/y.txt'), helper.twice(2)]`,
        {
          manifest: { type },
          files: { 'lib/helper.cjs': 'module.exports = { twice: (n) => n * 2 };' },
        },
      );
      expect(value).toEqual(['a/b', 'y.txt', 4]);
    }
  });

  it('of modules that no plugin gets are only refused where they are used', async () => {
    const prelude = `
      import { Database } from 'bun:sqlite'; import { $ } from 'bun'; import * as child from 'node:child_process';
      import { DatabaseSync } from 'node:sqlite'; import { spawn, execSync } from 'child_process'; import net from 'net';
      let db; const open = () => (db ??= new Database(':memory:'));`;
    expect(await valueOf(prelude, '[typeof open, typeof spawn, typeof child.exec]')).toEqual([
      'function',
      'function',
      'function',
    ]);
    const used = await run(
      `${prelude} export default { execute: () => ({ content: String(execSync('id')) }) };`,
    );
    expect(used.code).toBe('BUILTIN_DENIED');
    expect(await valueOf(prelude, `open().query('select 1 as n').get()`)).toEqual({ n: 1 });
  });

  it('of a large package from node_modules work: zod validates', async () => {
    const directory = makeVellum({
      tools: {
        tool: `import { z } from 'zod';
          const Input = z.object({ email: z.email(), tags: z.array(z.string()).default([]) });
          export default { input_schema: z.toJSONSchema(Input, { io: 'input' }),
            execute: (input) => ({ content: Input.parse(input), isError: false }) };`,
      },
    });
    cpSync('node_modules/zod', `${directory}/node_modules/zod`, { recursive: true });
    const engine = await startEngine([directory]);
    expect((await engine.call('tool', { email: 'a@example.com' })).structured).toEqual({
      email: 'a@example.com',
      tags: [],
    });
    expect((await engine.call('tool', {})).code).toBe('INVALID_INPUT');
  });
});
