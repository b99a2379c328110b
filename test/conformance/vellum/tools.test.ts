/** A Vellum tool's definition. Titles begin with their row in the acceptance table. */
import { describe, expect, it } from 'vitest';
import type { CatalogTool } from '../../../src/index.js';
import { startVellum } from '../../engine/vellum-on-disk.js';

async function toolOf(source: string, file = 'sample_tool'): Promise<CatalogTool | undefined> {
  const engine = await startVellum({ tools: { [file]: source } });
  return engine.catalog.list()[0];
}

describe('a definition', () => {
  it('V-T4: may be empty: every field has its documented default', async () => {
    expect(await toolOf('export default {};', 'example')).toMatchObject({
      tool: 'example',
      title: 'example',
      description: '',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
      declaredRisk: 'medium',
      executionTarget: 'sandbox',
      confinement: 'compartment',
    });
    const tool = await toolOf('export default {};');
    expect(tool).not.toHaveProperty('category');
    expect(tool).not.toHaveProperty('exclusive');
  });

  it('V-T5: keeps what it says, field by field', async () => {
    const tool = await toolOf(`
      import { RiskLevel, type ToolDefinition } from '@vellumai/plugin-api';
      const definition: ToolDefinition = {
        name: 'search_notes', description: 'Finds notes.', defaultRiskLevel: RiskLevel.Low,
        category: 'notes', executionTarget: 'sandbox', exclusive: true,
        input_schema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
        execute: async () => ({ content: '', isError: false }),
      };
      export default definition;`);
    expect(tool).toMatchObject({
      tool: 'search_notes',
      description: 'Finds notes.',
      declaredRisk: 'low',
      category: 'notes',
      exclusive: true,
      inputSchema: { required: ['q'] },
      annotations: { readOnlyHint: true },
    });
  });

  it('counts a field of another type as left out', async () => {
    const tool = await toolOf(
      `export default { name: 5, description: 5, input_schema: 'x', category: {}, executionTarget: 'moon', exclusive: 'yes' };`,
    );
    expect(tool).toMatchObject({
      tool: 'sample_tool',
      description: '',
      inputSchema: { additionalProperties: false },
      executionTarget: 'sandbox',
    });
    expect(tool).not.toHaveProperty('category');
  });

  it('takes a risk level that there is none of for the highest', async () => {
    const engine = await startVellum({
      tools: { x: `export default { defaultRiskLevel: 'none' }` },
    });
    expect(engine.catalog.list()[0]?.declaredRisk).toBe('high');
    expect(engine.plugins()[0]?.problems[0]?.message).toContain('counts as "high"');
  });

  it('takes a risk level that is not a text for one that is left out', async () => {
    expect((await toolOf('export default { defaultRiskLevel: 3 };'))?.declaredRisk).toBe('medium');
  });

  it.each([
    ['tools-with.dots', 'tools_with_dots'],
    ['__private__', 'private'],
    ['ünïcode', 'n_code'],
    ['___', 'tool'],
    ['snake_case', 'snake_case'],
  ])('V-T7: has the name that its file %s makes: %s', async (file, name) => {
    expect((await toolOf('export default {};', `${file}.ts`))?.tool).toBe(name);
  });

  it.each([
    ['host_read', '{}', 'host'],
    ['computer_use_click', '{}', 'host'],
    ['ghost_read', '{}', 'sandbox'],
    ['host_safe', '{ executionTarget: "sandbox" }', 'sandbox'],
    ['plain', '{ executionTarget: "host" }', 'host'],
    ['by_name', '{ name: "host_x" }', 'host'],
  ])('V-T8: %s with %s runs in the %s', async (file, source, target) => {
    const engine = await startVellum(
      { tools: { [file]: `export default ${source};` } },
      { hostMode: ['sample'] },
    );
    expect(engine.catalog.list()[0]?.executionTarget).toBe(target);
  });

  it('V-R13: forged fields of who owns it are ignored', async () => {
    const tool = await toolOf(
      `export default { plugin: 'core', owner: 'core', origin: 'core', id: 'core:bash', confinement: 'host', risk: 'low' };`,
    );
    expect(tool).toMatchObject({
      plugin: 'sample',
      id: 'sample:sample_tool',
      confinement: 'compartment',
    });
  });

  it('that holds a getter which throws is there with its defaults, and says so', async () => {
    const engine = await startVellum({
      tools: {
        bad: `export default { get description() { throw new Error('no') } };`,
        good: 'export default {};',
      },
    });
    expect(engine.catalog.list().map(({ tool }) => tool)).toEqual(['bad', 'good']);
    expect(engine.plugins()[0]?.problems[0]?.message).toContain(
      'tools/bad.ts: cannot be loaded: "no"',
    );
  });

  it('whose schema cannot be used is refused alone', async () => {
    const engine = await startVellum({
      tools: {
        bad: `export default { input_schema: { $ref: 'https://example.com/x.json' }, execute() {} };`,
        good: 'export default { execute() {} };',
        idle: 'export default {};',
      },
    });
    expect(engine.catalog.list().map(({ tool }) => tool)).toEqual(['good', 'idle']);
    expect(engine.plugins()[0]?.problems).toMatchObject([
      { code: 'INVALID_SCHEMA', toolId: 'bad' },
      { message: 'tools/idle.ts: has no execute function, so each call fails' },
    ]);
  });
});

describe('two files of one name', () => {
  it('are one tool, the later one, and a message says so', async () => {
    const answer = (text: string): string =>
      `export default { execute: () => ({ content: '${text}', isError: false }) };`;
    const engine = await startVellum({ tools: { 'a-b': answer('dash'), a_b: answer('line') } });
    expect(engine.catalog.list()).toHaveLength(1);
    expect((await engine.call('a_b', {})).content).toEqual([{ type: 'text', text: 'line' }]);
    expect(engine.plugins()[0]?.problems[0]?.message).toContain('the later counts');
  });
});

describe('input', () => {
  it('V-E3: has to fit the schema', async () => {
    const engine = await startVellum({
      tools: {
        strict: `export default { input_schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
          execute: ({ n }) => ({ content: String(n + 1), isError: false }) };`,
      },
    });
    expect((await engine.call('strict', { n: 1 })).content).toEqual([{ type: 'text', text: '2' }]);
    expect((await engine.call('strict', { n: 'x' })).code).toBe('INVALID_INPUT');
  });
});
