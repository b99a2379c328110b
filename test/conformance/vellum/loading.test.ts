/** How a Vellum plugin's files are loaded. Titles begin with their row in the acceptance table. */
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { startEngine } from '../../engine/plugin-on-disk.js';
import { makeVellum, startVellum } from '../../engine/vellum-on-disk.js';

const answer = (expression: string): string =>
  `export default { execute: () => ({ content: ${expression}, isError: false }) };`;

describe('one broken file', () => {
  it('fails when it is called, and does not stop other plugins', async () => {
    const engine = await startVellum({
      tools: {
        good: answer('"fine"'),
        syntax: 'export default {',
        unresolved: `import x from "./nowhere"; ${answer('x')}`,
        outside: `import x from "../../../etc/passwd"; ${answer('x')}`,
        misnamed: `import { nope } from "../lib/lib"; ${answer('nope')}`,
        throws: 'throw new Error("not today"); export default {};',
        'not-a-tool': 'export default 5;',
        helper: 'export const help = 1;',
      },
      hooks: { stop: 'export default (' },
      files: { 'lib/lib.ts': 'export const yes = 1;' },
    });
    expect(engine.catalog.list().map(({ tool }) => tool)).toEqual([
      'good',
      'misnamed',
      'outside',
      'syntax',
      'throws',
      'unresolved',
    ]);
    const codeOf = async (tool: string): Promise<unknown> => (await engine.call(tool, {})).code;
    expect((await engine.call('good', {})).isError).toBe(false);
    expect(await codeOf('syntax')).toBe('BUNDLE_FAILED');
    expect(await codeOf('unresolved')).toBe('BUNDLE_FAILED');
    expect(await codeOf('misnamed')).toBe('BUNDLE_FAILED');
    expect(await codeOf('outside')).toBe('OUTSIDE_PLUGIN');
    expect(await codeOf('throws')).toBe('TOOL_FAILED');
    // A second call gets the same answer.
    expect((await engine.call('throws', {})).content[0]?.text).toContain('not today');

    const [status] = engine.plugins();
    expect(status?.state).toBe('active');
    const problems = status?.problems.map(({ message }) => message).join('\n');
    for (const file of ['syntax', 'unresolved', 'outside', 'misnamed', 'throws']) {
      expect(problems).toContain(`tools/${file}.ts`);
    }
    expect(problems).toContain('hooks/stop.ts');
    expect(problems).toContain(
      'tools/not-a-tool.ts: is not a tool: its default export is of type number',
    );
    expect(problems).toContain('tools/helper.ts: is not a tool: its default export is missing');
  });

  it('that never finishes loading fails where it is called, and holds up no other for long', async () => {
    const engine = await startVellum({
      tools: { good: answer('"fine"'), stuck: 'await new Promise(() => {}); export default {};' },
    });
    expect(engine.catalog.list().map(({ tool }) => tool)).toEqual(['good', 'stuck']);
    expect((await engine.call('good', {})).isError).toBe(false);
    expect((await engine.call('stuck', {}, { timeoutMs: 200 })).code).toBe('DEADLINE_EXCEEDED');
    expect(engine.plugins()[0]?.problems[0]?.message).toContain('did not finish loading');
  });

  it('is mended without a restart, once it is', async () => {
    const engine = await startVellum({ tools: { a: answer('1'), b: 'export default {' } });
    expect((await engine.call('b', {})).code).toBe('BUNDLE_FAILED');
    writeFileSync(`${engine.plugins()[0]?.directory}/tools/b.ts`, answer('"mended"'));
    await engine.reload();
    expect((await engine.call('b', {})).isError).toBe(false);
    expect(engine.plugins()[0]?.problems).toEqual([]);
  });
});

describe('files', () => {
  it('share the modules that they import, and are each evaluated when first needed', async () => {
    const directory = makeVellum({
      tools: {
        count: `import { state } from "../src/state"; ${answer('++state.n')}`,
        count_too: `import { state } from "../src/state.js"; ${answer('++state.n')}`,
        other: 'globalThis.evaluated = true; export default {}',
        who: answer('[globalThis.evaluated === true]'),
      },
      files: { 'src/state.ts': 'export const state = { n: 0 };' },
    });
    const contentOf = async (engine: Engine, tool: string): Promise<unknown> =>
      (await engine.call(tool, {})).value;
    const asked = await startEngine([directory]);
    expect(await contentOf(asked, 'count')).toMatchObject({ content: 1 });
    expect(await contentOf(asked, 'count_too')).toMatchObject({ content: 2 });
    // The guest that said what there is had to look into all of them.
    expect(await contentOf(asked, 'who')).toMatchObject({ content: [true] });
    // What it said is kept, so that the next engine's guest has not been asked.
    const next = await startEngine([directory]);
    expect(await contentOf(next, 'who')).toMatchObject({ content: [false] });
    await next.call('other', {});
    expect(await contentOf(next, 'who')).toMatchObject({ content: [true] });
  });

  it('V-L12: a .js file counts before a .ts file of the same name', async () => {
    const engine = await startVellum({
      tools: { 'x.js': answer('"js"'), 'x.ts': answer('"ts"') },
    });
    expect((await engine.call('x', {})).value).toMatchObject({ content: 'js' });
  });
});

describe('a plugin', () => {
  it('with .disabled is there, and nothing of it is offered', async () => {
    const engine = await startVellum({ tools: { a: answer('1') }, files: { '.disabled': '' } });
    expect(engine.plugins()).toMatchObject([{ state: 'inactive', tools: [] }]);
    expect(engine.plugins()[0]?.problems[0]?.message).toContain('.disabled');
  });

  it('that declares no permissions gets what the host’s policy says of it', async () => {
    const now = answer('typeof Date.now()');
    const engine = await startVellum({ tools: { now } }, { grant: { sample: { time: true } } });
    expect((await engine.call('now', {})).value).toMatchObject({ content: 'number' });
    expect(engine.plugins()[0]?.entries[0]?.effective.time).toBe(true);

    for (const grant of ['nothing', { sample: {} }] as const) {
      const without = await startVellum({ tools: { now } }, { grant });
      expect((await without.call('now', {})).code).toBe('TIME_DENIED');
    }
    const other = startVellum({ tools: { now } }, { grant: { other: { time: true } } });
    await expect(other).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
  });

  it('that declares no permissions is taken to ask for time, dice and files of its own', async () => {
    const engine = await startVellum({ tools: { now: answer('typeof Date.now()') } });
    expect((await engine.call('now', {})).value).toMatchObject({ content: 'number' });
    expect(engine.plugins()[0]?.entries[0]?.effective).toEqual({
      time: true,
      random: true,
      storage: true,
      network: [],
      env: [],
      fs: [],
      powers: [],
    });
  });

  it('that declares some gets no more than those', async () => {
    const now = answer('typeof Date.now()');
    const engine = await startVellum(
      { tools: { now }, permissions: { random: true } },
      { grant: { sample: { time: true, random: true } } },
    );
    expect((await engine.call('now', {})).code).toBe('TIME_DENIED');
  });
});
