import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCatalog, type UnnamedTool } from '../../src/catalog/catalog.js';
import { exampleTool as tool } from './example-tool.js';

const namesOf = (tools: readonly UnnamedTool[]): string[] => {
  const owner = makeCatalog();
  owner.replace(tools);
  return owner.catalog.list().map(({ name }) => name);
};

it('names a tool plugin__tool', () => {
  expect(namesOf([tool('@pandorakit/weather', 'weather')])).toEqual([
    'pandorakit_weather__weather',
  ]);
});

describe('every tool', () => {
  const arbTools = fc.uniqueArray(
    fc.tuple(
      fc.string({ minLength: 1 }).filter((text) => !text.includes(':')),
      fc.string({ minLength: 1 }).filter((text) => !text.includes(':')),
    ),
    { selector: ([plugin, id]) => `${plugin}:${id}`, maxLength: 40 },
  );

  it('has a unique name that every model API accepts', () => {
    fc.assert(
      fc.property(arbTools, (ids) => {
        const names = namesOf(ids.map(([plugin, id]) => tool(plugin, id)));
        expect(names).toHaveLength(ids.length);
        expect(new Set(names).size).toBe(names.length);
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      }),
    );
  });

  it('has a name that does not depend on the order of plugins', () => {
    fc.assert(
      fc.property(arbTools, (ids) => {
        const tools = ids.map(([plugin, id]) => tool(plugin, id));
        expect(namesOf(tools.toReversed())).toEqual(namesOf(tools));
      }),
    );
  });
});

it('finds a tool by its name, its id, and by its bare name if only one plugin has it', () => {
  const { catalog, replace } = makeCatalog();
  replace([tool('a', 'search'), tool('b', 'search'), tool('b', 'read')]);
  expect(catalog.find('a__search')?.plugin).toBe('a');
  expect(catalog.find('b:search')?.plugin).toBe('b');
  expect(catalog.find('read')?.plugin).toBe('b');
  expect(catalog.find('search')).toBeUndefined();
  expect(catalog.find('__proto__')).toBeUndefined();
  expect(catalog.find('constructor')).toBeUndefined();
});

it('gives different names to ids that differ only in replaced characters', () => {
  const { catalog, replace } = makeCatalog();
  replace([tool('a', 'b/c'), tool('a', 'b.c')]);
  expect(catalog.list()).toHaveLength(2);
  expect(catalog.find('a:b/c')?.tool).toBe('b/c');
  expect(catalog.find('a:b.c')?.tool).toBe('b.c');
});

describe('an added plugin', () => {
  const honest = [tool('notes', 'read'), tool('@acme/notes', 'a'.repeat(80)), tool('x', 'a__b')];
  const ownerOf = (more: UnnamedTool, name: string): string | undefined => {
    const { catalog, replace } = makeCatalog();
    replace([...honest, more]);
    return catalog.find(name)?.plugin;
  };

  it.each([
    ['@notes', 'read', 'notes__read'],
    ['notes ', 'read', 'notes__read'],
    ['x__a', 'b', 'x__a__b'],
    ['evil', 'notes__read', 'notes__read'],
  ])('cannot answer as another plugin: %j with %j', (plugin, id, name) => {
    expect(ownerOf(tool(plugin, id), name)).not.toBe(plugin);
  });

  it('cannot answer as a tool with a hashed name, even with the same hash', () => {
    const long = namesOf(honest).find((name) => name.startsWith('acme_notes__')) ?? '';
    const [, id = ''] = long.split('__');
    expect(ownerOf(tool('acme_notes', id), long)).toBeUndefined();
  });

  it('cannot reserve the exported name of a missing tool', () => {
    const { catalog, replace } = makeCatalog();
    replace([tool('evil', 'notes__write')]);
    expect(catalog.find('notes__write')).toBeUndefined();
    expect(catalog.find('evil:notes__write')?.plugin).toBe('evil');
  });
});

it('calls listeners after each change until they unsubscribe', () => {
  const { catalog, replace } = makeCatalog();
  let changes = 0;
  const stop = catalog.on('change', () => (changes += 1));
  replace([tool('a', 'x')]);
  stop();
  replace([]);
  expect(changes).toBe(1);
});

it('gives the host’s tool its bare name, whatever other tools claim it', () => {
  const own = tool('(core)', 'notes__read', { source: 'core', bare: true });
  const { catalog, replace } = makeCatalog();
  for (const tools of [[own, tool('notes', 'read')], [tool('notes', 'read')], [own]]) {
    replace(tools);
    expect(catalog.find('notes__read')?.plugin).toBe(tools[0]?.plugin);
    expect(catalog.list()).toHaveLength(tools.length);
  }
  replace([own, tool('notes', 'read')]);
  expect(catalog.find('notes:read')?.name).toMatch(/^notes__read_[a-z2-7]{6}$/);
});
