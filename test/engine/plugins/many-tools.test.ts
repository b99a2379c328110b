import { describe, expect, it } from 'vitest';
import { makePlugin, startEngine } from '../plugin-on-disk.js';

/** A plugin whose tools a function of its own makes. */
function plugin(make: string): string {
  return makePlugin({
    source: `const tool = (id, more = {}) => ({ id, name: id, description: 'd', parameters: { type: 'object' },
        annotations: { readOnlyHint: true }, execute: () => id, ...more });
      export const tools = ${make};`,
  });
}

async function load(make: string): Promise<{ names: string[]; refused: string; texts: string }> {
  const engine = await startEngine([plugin(make)]);
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
