/** Whose a name is. Titles begin with the cell of the acceptance table's matrix of collisions. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Claim, resolveNames, type ToolSource } from '../../src/catalog/precedence.js';

const claim = (source: ToolSource, plugin: string, tool: string): Claim => ({
  source,
  plugin,
  tool,
  bare: true,
});

function resolve(
  tools: readonly Claim[],
  { strict = false, removed = [] as readonly string[] } = {},
): { readonly kept: string[]; readonly collisions: string[] } {
  const resolved = resolveNames(tools, { strict, removed });
  return {
    kept: resolved.tools.map(({ plugin, tool }) => `${plugin}:${tool}`),
    collisions: resolved.collisions.map(
      ({ plugin, tool, holder, outcome }) => `${plugin}:${tool} ${outcome} for ${holder ?? '-'}`,
    ),
  };
}

const core = claim('core', 'core', 'search');
const workspace = claim('workspace', 'workspace', 'search');
const mcp = claim('mcp', 'server', 'search');
const byDefault = claim('default', 'bundled', 'search');
const user = claim('plugin', 'mine', 'search');

describe('a tool whose name is taken', () => {
  it.each([
    ['plugin × core', [core, user]],
    ['plugin × workspace', [workspace, user]],
    ['plugin × mcp', [mcp, user]],
    ['plugin × default', [byDefault, user]],
    ['mcp × core', [core, mcp]],
    ['mcp × workspace', [workspace, mcp]],
    ['mcp × default plugin that was first', [byDefault, mcp]],
    ['mcp × plugin that was first', [user, mcp]],
    ['default × core', [core, byDefault]],
    ['default × mcp', [mcp, byDefault]],
  ])('%s: is skipped, and the first keeps it', (_, tools) => {
    const [first, second] = tools.map(({ plugin, tool }) => `${plugin}:${tool}`);
    expect(resolve(tools)).toEqual({
      kept: [first],
      collisions: [`${second} skipped for ${first}`],
    });
  });

  it('workspace × core: overrides, in whatever order the two were found', () => {
    const expected = {
      kept: ['workspace:search'],
      collisions: ['core:search skipped for workspace:search'],
    };
    expect(resolve([core, workspace])).toEqual(expected);
    expect(resolve([workspace, core])).toEqual(expected);
  });

  it('core × a plugin that was found before it: is core’s', () => {
    expect(resolve([user, core]).kept).toEqual(['core:search']);
  });

  it('plugin × removed: is skipped, as what the workspace removed stays core’s', () => {
    expect(resolve([core, user], { removed: ['search'] })).toEqual({
      kept: [],
      collisions: ['core:search skipped for -', 'mine:search skipped for -'],
    });
    expect(resolve([core], { removed: ['nothing'] }).kept).toEqual(['core:search']);
  });
});

describe('plugin × plugin', () => {
  const tools = [
    claim('plugin', 'first', 'search'),
    claim('plugin', 'second', 'search'),
    claim('plugin', 'second', 'other'),
    claim('plugin', 'third', 'other'),
  ];

  it('fails, and costs the later one that tool', () => {
    expect(resolve(tools)).toEqual({
      kept: ['first:search', 'second:other'],
      collisions: ['second:search failed for first:search', 'third:other failed for second:other'],
    });
  });

  it('fails, and costs the later one all of its tools where the host is strict', () => {
    expect(resolve(tools, { strict: true })).toEqual({
      kept: ['first:search', 'third:other'],
      collisions: ['second:search failed for first:search', 'second:other failed for -'],
    });
  });

  it('says which plugin has it, in the words that Vellum uses', () => {
    const [collision] = resolveNames(tools, { strict: false, removed: [] }).collisions;
    expect(collision?.message).toContain(
      'Plugin tool "search" is already registered by plugin "first"',
    );
  });

  it('that are only skipped cost no more than themselves where the host is strict', () => {
    const more = claim('plugin', 'mine', 'more');
    expect(resolve([core, user, more], { strict: true }).kept).toEqual([
      'core:search',
      'mine:more',
    ]);
  });
});

it('tools that are called by their plugin’s name too are in nobody’s way', () => {
  const qualified = { ...user, bare: false };
  expect(resolve([core, qualified, byDefault]).kept).toEqual(['core:search', 'mine:search']);
});

it('what is kept never shares a bare name, and what is not is accounted for', () => {
  const arbClaim = fc.record({
    source: fc.constantFrom<ToolSource>('core', 'workspace', 'mcp', 'default', 'plugin'),
    tool: fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
    owner: fc.constantFrom('x', 'y', 'z'),
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(arbClaim, {
        selector: ({ source, owner, tool }) => `${source} ${owner} ${tool}`,
      }),
      fc.boolean(),
      (all, strict) => {
        const claims = all.map(({ source, owner, tool }) =>
          claim(source, `${source}-${owner}`, tool),
        );
        const { tools, collisions } = resolveNames(claims, { strict, removed: [] });
        const names = tools.map(({ tool }) => tool);
        expect(new Set(names).size).toBe(names.length);
        expect(tools.length + collisions.length).toBe(claims.length);
      },
    ),
  );
});
