/** Vellum's resolution order, with plugins on disk. Titles begin with their acceptance row. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { BulkheadEvent, CoreTool, Engine } from '../../../src/index.js';
import { makeDirectory, startEngine } from '../plugin-on-disk.js';
import { makeVellum } from '../vellum-on-disk.js';

const says = (text: string): string =>
  `export default { execute: () => ({ content: ${JSON.stringify(text)}, isError: false }) };`;

function plugin(name: string, tools: readonly string[], installedAt?: number): string {
  return makeVellum({
    name,
    tools: Object.fromEntries(tools.map((tool) => [tool, says(`${tool} of ${name}`)])),
    ...(installedAt === undefined
      ? {}
      : { files: { 'install-meta.json': JSON.stringify({ installedAt }) } }),
  });
}

const core = (name: string): CoreTool => ({ name, execute: () => `${name} of the host` });

async function textOf(engine: Engine, tool: string): Promise<string | undefined> {
  return (await engine.call(tool, {})).content[0]?.text;
}

function problemsOf(engine: Engine, id: string): readonly string[] {
  const status = engine.plugins().find((one) => one.id === id);
  return (status?.problems ?? []).map(({ code, toolId }) => `${code} ${toolId}`);
}

it('a Vellum tool has its bare name; a plugin of another system does not replace it', async () => {
  const engine = await startEngine([plugin('notes', ['search_notes', 'read'])]);
  expect(engine.catalog.list().map(({ name }) => name)).toEqual(['read', 'search_notes']);
  expect(engine.catalog.find('notes:read')?.name).toBe('read');
});

it('V-R12: a name that no model takes has an alias, stable and apart from others', async () => {
  const named = (name: string): string =>
    `export default { name: ${JSON.stringify(name)}, execute: () => ({ content: '' }) };`;
  const directory = makeVellum({
    tools: { a: named('look up!'), b: named(' look up!'), c: named('x__y') },
  });
  const names = (engine: Engine): string[] => engine.catalog.list().map(({ name }) => name);
  const engine = await startEngine([directory]);
  expect(names(engine)[0]).toMatch(/^_look_up___[0-9a-f]{12}$/);
  expect(names(engine)[1]).toMatch(/^look_up___[0-9a-f]{12}$/);
  // What looks like another plugin's tool is shown with its plugin's name.
  expect(names(engine)[2]).toBe('sample__x__y');
  expect(names(await startEngine([directory]))).toEqual(names(engine));
});

describe('two installed plugins with one name', () => {
  const directories = (): string[] => [
    plugin('younger', ['search', 'own'], 2_000),
    plugin('elder', ['search'], 1_000),
  ];

  it('V-B6: the one that was installed first has it; the other loses that tool alone', async () => {
    const events: BulkheadEvent[] = [];
    const engine = await startEngine(directories(), { onEvent: (event) => events.push(event) });
    expect(await textOf(engine, 'search')).toBe('search of elder');
    expect(await textOf(engine, 'own')).toBe('own of younger');
    expect(problemsOf(engine, 'younger')).toEqual(['NAME_COLLISION search']);
    expect(problemsOf(engine, 'elder')).toEqual([]);
    expect(engine.catalog.collisions()).toMatchObject([
      { plugin: 'younger', tool: 'search', outcome: 'failed' },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'plugin-refused',
        plugin: 'younger',
        code: 'NAME_COLLISION',
      }),
    );
    await expect(engine.call('younger:search', {})).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    });
  });

  it('the other loses all of its tools if the host is strict, and gets them back', async () => {
    const [younger = '', elder = ''] = directories();
    const engine = await startEngine([younger, elder], { collisions: 'strict' });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['search']);
    expect(problemsOf(engine, 'younger')).toEqual(['NAME_COLLISION search', 'NAME_COLLISION own']);
    rmSync(elder, { recursive: true });
    await engine.reload();
    expect(await textOf(engine, 'search')).toBe('search of younger');
    expect(await textOf(engine, 'own')).toBe('own of younger');
    expect(problemsOf(engine, 'younger')).toEqual([]);
  });
});

it('a plugin that comes with the host is before those that were installed', async () => {
  const engine = await startEngine([plugin('installed', ['search'], 1)], {
    defaultPlugins: [plugin('bundled', ['search'], 2)],
  });
  expect(await textOf(engine, 'search')).toBe('search of bundled');
  expect(engine.catalog.find('search')?.source).toBe('default');
  expect(engine.plugins().map(({ id }) => id)).toEqual(['bundled', 'installed']);
  expect(engine.catalog.collisions('installed')).toMatchObject([{ outcome: 'skipped' }]);
});

describe('V-R10, V-R11: the workspace', () => {
  function workspace(): { readonly directory: string; put(file: string, text: string): void } {
    const directory = makeDirectory();
    mkdirSync(`${directory}/tools`);
    return { directory, put: (file, text) => writeFileSync(`${directory}/tools/${file}`, text) };
  }

  it('adds tools, overrides the host’s, and restores them when it is unloaded', async () => {
    const { directory, put } = workspace();
    put('search.ts', says('search of the workspace'));
    put('added.js', says('added'));
    const engine = await startEngine([plugin('mine', ['search', 'added'])], {
      coreTools: [core('search')],
      workspace: directory,
      // A tool that a person put there counts as high risk unless it says otherwise.
      approve: () => 'once',
    });
    expect(await textOf(engine, 'search')).toBe('search of the workspace');
    expect(await textOf(engine, 'added')).toBe('added');
    expect(engine.catalog.find('search')).toMatchObject({
      plugin: '(workspace)',
      source: 'workspace',
      declaredRisk: 'high',
      confinement: 'compartment',
    });
    expect(problemsOf(engine, 'mine')).toEqual(['NAME_COLLISION added', 'NAME_COLLISION search']);
    rmSync(`${directory}/tools/search.ts`);
    rmSync(`${directory}/tools/added.js`);
    await engine.reload();
    expect(await textOf(engine, 'search')).toBe('search of the host');
    expect(await textOf(engine, 'added')).toBe('added of mine');
  });

  it('removes one of the host’s, whose name is then reserved', async () => {
    const { directory, put } = workspace();
    put('search.removed', '');
    put('nothing.removed', '');
    const engine = await startEngine([plugin('mine', ['search'])], {
      coreTools: [core('search'), core('stays')],
      workspace: directory,
    });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['stays']);
    rmSync(`${directory}/tools/search.removed`);
    await engine.reload();
    expect(await textOf(engine, 'search')).toBe('search of the host');
  });

  it('names tools by their files alone, and only so that every model takes them', async () => {
    const { directory, put } = workspace();
    put('own.ts', `export default { name: 'search', defaultRiskLevel: 'low' };`);
    put('not this.ts', says('no'));
    const engine = await startEngine([], { coreTools: [core('search')], workspace: directory });
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['own', 'search']);
    expect(engine.catalog.find('own')?.declaredRisk).toBe('low');
    expect(await textOf(engine, 'own')).toBe('workspace tool own has no execute implementation');
    expect(engine.plugins()[0]?.problems[0]?.message).toContain('not this.ts');
  });

  it('that is not there is none', async () => {
    const engine = await startEngine([], { workspace: '/nowhere/at/all', coreTools: [core('x')] });
    expect(engine.plugins()).toEqual([]);
    expect(engine.catalog.list()).toHaveLength(1);
  });
});

describe('categories', () => {
  it('decide what a policy offers: none of them is of none, an empty list allows all', async () => {
    const categorised = `export default { category: 'coding' };`;
    const engine = await startEngine([
      makeVellum({
        tools: {
          codes: categorised,
          other: `export default { category: 'terminal' };`,
          none: 'export default {};',
        },
      }),
    ]);
    const offered = (allowedToolCategories: readonly string[]): string[] =>
      engine.catalog.list({ allowedToolCategories }).map(({ name }) => name);
    expect(offered(['coding'])).toEqual(['codes']);
    expect(offered(['coding', 'terminal'])).toEqual(['codes', 'other']);
    expect(offered([])).toEqual(['codes', 'none', 'other']);
    expect(offered(['unknown'])).toEqual([]);
    expect(engine.catalog.list({ blockedTools: ['codes'] }).map(({ name }) => name)).toEqual([
      'none',
      'other',
    ]);
  });
});

describe('V-E1: allowedTools', () => {
  it.each([
    [undefined, ['read', 'write']],
    [['read'], ['read']],
    [['notes:write', 'gone'], ['write']],
    [[], []],
  ])('%j offers %j, and nothing else can be called', async (allowedTools, offered) => {
    const engine = await startEngine([plugin('notes', ['read', 'write'])]);
    const policy = allowedTools === undefined ? {} : { allowedTools };
    expect(engine.catalog.list(policy).map(({ name }) => name)).toEqual(offered);
    for (const tool of ['read', 'write']) {
      const { code } = await engine.call(tool, {}, { policy });
      expect(code).toBe(offered.includes(tool) ? undefined : 'POLICY_DENIED');
    }
  });
});

describe('a tool that wants to run on the host', () => {
  const spec = {
    name: 'reach',
    tools: {
      host_look: `import { arch } from 'node:os'; export default { execute: () => ({ content: { pid: process.pid, real: arch() !== '' && typeof process.getuid === 'function' } }) };`,
      plain: `export default { execute: () => ({ content: { pid: process.pid } }) };`,
    },
  };

  it('is not offered unless the operator allows its plugin, and costs the others nothing', async () => {
    const engine = await startEngine([makeVellum(spec)]);
    expect(engine.catalog.list().map(({ name }) => name)).toEqual(['plain']);
    expect(problemsOf(engine, 'reach')).toEqual(['HOST_MODE_DENIED host_look']);
  });

  it('runs unconfined if the operator says so, and alone', async () => {
    const engine = await startEngine([makeVellum(spec)], {
      hostMode: ['reach'],
      approve: () => 'once',
    });
    expect(engine.catalog.find('host_look')).toMatchObject({ confinement: 'host', risk: 'high' });
    expect(engine.catalog.find('plain')).toMatchObject({ confinement: 'compartment' });
    expect((await engine.call('host_look', {})).structured).toMatchObject({ real: true });
    expect((await engine.call('plain', {})).structured).toEqual({ pid: 1 });
  });
});
