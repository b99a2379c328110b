/** Which tool gets a name. Titles start with the cell of the matrix of collisions. */
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
): { readonly accepted: string[]; readonly collisions: string[] } {
  const resolved = resolveNames(tools, { strict, removed });
  return {
    accepted: resolved.tools.map(({ plugin, tool }) => `${plugin}:${tool}`),
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

describe('a tool whose bare name is taken', () => {
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
  ])('%s: is skipped, and the first tool has the name', (_, tools) => {
    const [first, second] = tools.map(({ plugin, tool }) => `${plugin}:${tool}`);
    expect(resolve(tools)).toEqual({
      accepted: [first],
      collisions: [`${second} skipped for ${first}`],
    });
  });

  it('workspace × core: overrides, in either order', () => {
    const expected = {
      accepted: ['workspace:search'],
      collisions: ['core:search skipped for workspace:search'],
    };
    expect(resolve([core, workspace])).toEqual(expected);
    expect(resolve([workspace, core])).toEqual(expected);
  });

  it('core × a plugin that was found first: belongs to core', () => {
    expect(resolve([user, core]).accepted).toEqual(['core:search']);
  });

  it('plugin × removed: is skipped, because a removed core name stays reserved', () => {
    expect(resolve([core, user], { removed: ['search'] })).toEqual({
      accepted: [],
      collisions: ['core:search skipped for -', 'mine:search skipped for -'],
    });
    expect(resolve([core], { removed: ['nothing'] }).accepted).toEqual(['core:search']);
  });
});

describe('plugin × plugin', () => {
  const tools = [
    claim('plugin', 'first', 'search'),
    claim('plugin', 'second', 'search'),
    claim('plugin', 'second', 'other'),
    claim('plugin', 'third', 'other'),
  ];

  it('fails, and the later plugin loses that tool', () => {
    expect(resolve(tools)).toEqual({
      accepted: ['first:search', 'second:other'],
      collisions: ['second:search failed for first:search', 'third:other failed for second:other'],
    });
  });

  it('fails, and the later plugin loses all its tools if the host is strict', () => {
    expect(resolve(tools, { strict: true })).toEqual({
      accepted: ['first:search', 'third:other'],
      collisions: ['second:search failed for first:search', 'second:other failed for -'],
    });
  });

  it('names the plugin that has the tool, with Vellum’s message', () => {
    const [collision] = resolveNames(tools, { strict: false, removed: [] }).collisions;
    expect(collision?.message).toContain(
      'Plugin tool "search" is already registered by plugin "first"',
    );
  });

  it('loses only a skipped tool if the host is strict', () => {
    const more = claim('plugin', 'mine', 'more');
    expect(resolve([core, user, more], { strict: true }).accepted).toEqual([
      'core:search',
      'mine:more',
    ]);
  });
});

it('resolveNames: tools with qualified names do not collide', () => {
  const qualified = { ...user, bare: false };
  expect(resolve([core, qualified, byDefault]).accepted).toEqual(['core:search', 'mine:search']);
});

it('resolveNames: accepted bare names are unique, and each other tool has a collision', () => {
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
