import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/index.js';
import { makeExtension } from '../extension-on-disk.js';
import { plainProgram, startServer } from '../mcp-on-disk.js';
import { makePlugin, startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

/** A plugin whose tools a function of its own makes. */
function plugin(make: string): string {
  return makePlugin({
    source: `const tool = (id, more = {}) => ({ id, name: id, description: 'd', parameters: { type: 'object' },
        annotations: { readOnlyHint: true }, execute: () => id, ...more });
      export const tools = ${make};`,
  });
}

interface Loaded {
  readonly names: readonly string[];
  readonly refused: string;
  readonly texts: string;
}

async function load(make: string): Promise<Loaded> {
  return offeredBy(await startEngine([plugin(make)]));
}

function offeredBy(engine: Engine): Loaded {
  const [found] = engine.plugins();
  const problems = found?.problems ?? [];
  return {
    names: (found?.tools ?? []).map(({ tool }) => tool),
    refused: problems.flatMap(({ toolId }) => toolId ?? []).join(' '),
    texts: problems.map(({ message }) => message).join('\n'),
  };
}

describe('tools that a plugin cannot offer', () => {
  it('are named if they are past the cap, and cost no other tool', async () => {
    const { names, refused, texts } = await load(
      `Array.from({ length: 1203 }, (_, index) => tool('t' + index))`,
    );
    expect(names.length).toBe(1_000);
    expect(refused).toMatch(/^t1000 t1001 .*t1099/);
    expect(texts).toContain('an entry has at most 1000 tools');
    expect(texts).toContain('103 further tools');
  });

  it('are named if their schema is too large, and a long description is cut', async () => {
    const { names, refused, texts } = await load(
      `[tool('first'), tool('long', { description: 'd'.repeat(1_000_000) }),
        tool('huge', { parameters: { type: 'object', description: 's'.repeat(3_000_000) } }),
        tool('large', { parameters: { type: 'object', description: 's'.repeat(100_000) } }), tool('last')]`,
    );
    expect(names.toSorted()).toEqual(['first', 'last', 'long']);
    expect(refused.split(' ').toSorted()).toEqual(['huge', 'large']);
    expect(texts).toMatch(/"long": description: is cut to 16384 characters/);
    expect(texts).toContain('huge');
  });

  it('are named if all tools together are too large', async () => {
    const { names, refused, texts } = await load(
      `[...Array.from({ length: 12 }, (_, index) => tool('t' + index, { parameters: { type: 'object', description: 's'.repeat(900_000) } })), tool('small')]`,
    );
    expect(names).toEqual(['small']);
    expect(refused.split(' ').length).toBe(12);
    expect(texts).toContain('have at most 6291456 bytes');
  });
});

describe('tools that an extension of Spindle cannot offer', () => {
  const extension = (register: string): Promise<Engine> =>
    startEngine([
      makeExtension({
        source: `const tool = (name, more = {}) => spindle.registerTool({ name, display_name: name,
            description: 'd', parameters: { type: 'object' }, ...more });
          ${register}`,
      }),
    ]);

  it('are named if they are past the cap, and cost no other tool', async () => {
    const engine = await extension('for (let n = 0; n < 1203; n += 1) tool(`t${n}`);');
    const { names, refused, texts } = offeredBy(engine);
    expect(names.length).toBe(1_000);
    expect(refused).toMatch(/^t1000 t1001 .*t1099$/);
    expect(texts).toContain('an entry has at most 1000 tools');
    expect(texts).toContain('103 further tools');
  });

  it('are named if their schema is too large, and a long description is cut', async () => {
    const engine = await extension(
      `tool('first'); tool('long', { description: 'd'.repeat(3_000_000) });
       tool('huge', { parameters: { type: 'object', description: 's'.repeat(3_000_000) } });
       tool('large', { parameters: { type: 'object', description: 's'.repeat(100_000) } }); tool('last');`,
    );
    const { names, refused, texts } = offeredBy(engine);
    expect(names.toSorted()).toEqual(['first', 'last', 'long']);
    expect(refused.split(' ').toSorted()).toEqual(['huge', 'large']);
    expect(texts).toMatch(/"long": description: is cut to 16384 characters/);
  });

  it('are named if all tools together are too large, also beside long texts of macros', async () => {
    const engine = await extension(
      `for (let n = 0; n < 12; n += 1)
         tool(\`t\${n}\`, { parameters: { type: 'object', description: 's'.repeat(900_000) } });
       for (let n = 0; n < 200; n += 1)
         spindle.registerMacro({ name: \`m\${n}\`, category: 'c', description: 'd'.repeat(100_000), handler: () => '' });
       tool('small');`,
    );
    const { names, refused, texts } = offeredBy(engine);
    expect(names).toEqual(['small']);
    expect(refused.split(' ').length).toBe(12);
    expect(texts).toContain('have at most 6291456 bytes');
  });
});

describe('tools that a Vellum plugin cannot offer', () => {
  const tool = (fields: string): string =>
    `export default { input_schema: { type: 'object' }, ${fields}, execute: () => ({ content: 'ran', isError: false }) };`;
  const large = (bytes: number): string =>
    tool(`input_schema: { type: 'object', description: 's'.repeat(${bytes}) }`);

  it('are named if they are too large, and a long description is cut', async () => {
    const tools = {
      long: tool(`description: 'd'.repeat(3_000_000)`),
      huge: large(3_000_000),
      last: tool(`description: 'd'`),
    };
    const engine = await startEngine([makeVellum({ tools })]);
    const { names, refused, texts } = offeredBy(engine);
    expect(names.toSorted()).toEqual(['last', 'long']);
    expect(refused).toBe('huge');
    expect(texts).toContain('larger than 1048576 bytes');
    expect(await engine.call('long', {})).toMatchObject({ content: [{ text: 'ran' }] });
  });

  it('are named if all tools together are too large', async () => {
    const many = Array.from({ length: 12 }, (_, n) => [`t${n}`, large(900_000)] as const);
    const tools = { ...Object.fromEntries(many), small: tool(`description: 'd'`) };
    const { names, refused, texts } = offeredBy(await startEngine([makeVellum({ tools })]));
    expect(names).toEqual(['small']);
    expect(refused.split(' ').length).toBe(12);
    expect(texts).toContain('have at most 6291456 bytes');
  });
});

describe('tools that an MCP server cannot offer', () => {
  it('are named if they are past the cap', async () => {
    const program = plainProgram(
      `return text('ran');`,
      `listed = Array.from({ length: 1203 }, (_, n) => ({ name: 't' + n, inputSchema: { type: 'object' } }));`,
    );
    const { names, refused, texts } = offeredBy(await startServer({ program }));
    expect(names.length).toBe(1_000);
    expect(refused).toMatch(/^t1000 t1001 .*t1099$/);
    expect(texts).toContain('further tools: an entry has at most 1000 tools');
  });
});
