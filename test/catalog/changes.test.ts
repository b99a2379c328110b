import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeCatalog, type UnnamedTool } from '../../src/catalog/catalog.js';
import { exampleTool } from './example-tool.js';

/** Few names, so that many collide, also with hashed names. */
const firstName = (plugin: string, id: string): string => {
  const { catalog, replace } = makeCatalog();
  replace([exampleTool(plugin, id), exampleTool(`@${plugin}`, id)]);
  return catalog.find(`${plugin}:${id}`)?.name ?? '';
};
const hashed = firstName('a', 'x');
const [hashedPlugin = '', hashedTool = ''] = hashed.split('__');

const arbTool = fc.record({
  plugin: fc.constantFrom('a', '@a', 'b', 'b c', 'b_c', hashedPlugin),
  tool: fc.constantFrom('x', 'y', 'y z', 'y_z', 'a__x', hashedTool, 'l'.repeat(70)),
  more: fc.record(
    {
      bare: fc.constant(true),
      source: fc.constantFrom('mcp', 'default', 'core', 'workspace'),
      aliases: fc.constantFrom(['x'], ['b__y', 'z']),
      council: fc.constant({ eligible: false, inline: false }),
    },
    { requiredKeys: [] },
  ),
});

const arbTools = fc
  .uniqueArray(arbTool, { selector: ({ plugin, tool }) => `${plugin}:${tool}`, maxLength: 20 })
  .map((all) =>
    all.map(({ plugin, tool, more }) => {
      // The host calls each of its own by its bare name.
      const isHosts = more.source === 'core' || more.source === 'workspace';
      return exampleTool(plugin, tool, { ...more, ...(isHosts && { bare: true }) });
    }),
  );

/** The results of all queries of a catalog. */
function answersOf({ catalog }: ReturnType<typeof makeCatalog>, tools: readonly UnnamedTool[]) {
  const names = tools.flatMap(({ plugin, tool, aliases = [] }) => [
    tool,
    `${plugin}:${tool}`,
    `${plugin}__${tool}`,
    `mcp:${plugin.slice(0, 8)}:${tool}`,
    ...aliases,
    hashed,
  ]);
  const listed = catalog.list().map(({ name, id }) => ({ name, id }));
  const found = [...names, ...listed.map(({ name }) => name)].map((name) => [
    name,
    catalog.find(name)?.id,
  ]);
  return { listed, found, collisions: catalog.collisions() };
}

describe('a changed catalog', () => {
  it('answers like a new catalog with the same tools', () => {
    fc.assert(
      fc.property(arbTools, fc.array(fc.array(fc.nat(19)), { maxLength: 6 }), (tools, steps) => {
        const changing = makeCatalog();
        for (const step of steps) {
          const some = tools.filter((_, at) => step.includes(at));
          changing.replace(some);
          const fresh = makeCatalog();
          fresh.replace(some);
          expect(answersOf(changing, tools)).toEqual(answersOf(fresh, tools));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('returns the same objects for unchanged tools', () => {
    const { catalog, replace } = makeCatalog();
    const [one, two, three] = ['x', 'y', 'z'].map((id) => exampleTool('a', id));
    if (one === undefined || two === undefined || three === undefined) throw new Error('three');
    replace([one, three]);
    const before = catalog.find('a__x');
    replace([one, two]);
    expect(catalog.find('a__x')).toBe(before);
    expect(catalog.list().map(({ id }) => id)).toEqual(['a:x', 'a:y']);
  });

  it('resolves a chain of names that each collide with the next', () => {
    const row = [exampleTool('a', 'x')];
    for (let n = 0; n < 20; n += 1) {
      const last = row.at(-1);
      const [plugin = '', id = ''] = firstName(last?.plugin ?? '', last?.tool ?? '').split('__');
      row.push(exampleTool(plugin, id));
    }
    const { catalog, replace } = makeCatalog();
    replace(row);
    for (const tool of row.slice(0, 5)) {
      expect(catalog.find(`${tool.plugin}__${tool.tool}`)?.tool).toBe(tool.tool);
    }
    replace([...row, exampleTool('@a', 'x')]);
    const names = catalog.list().map(({ name }) => name);
    expect(new Set(names).size).toBe(row.length + 1);
    // The first tool loses its name, and its next name must not belong to another tool.
    expect(names).not.toContain('a__x');
    expect(catalog.find('a__x')).toBeUndefined();
    for (const tool of row) expect(names).not.toContain(`${tool.plugin}__${tool.tool}`);
  });
});
