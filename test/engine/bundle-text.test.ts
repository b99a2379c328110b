import { describe, expect, it } from 'vitest';
import { makePlugin, type PluginSpec, startEngine } from './plugin-on-disk.js';

const MIB = 1024 * 1024;
const TEXT_MIB = 8;

/** A function that V8 never compiles, with a long text. */
const LONG = `export function long(n) { return n + ${JSON.stringify('a'.repeat(TEXT_MIB * MIB))}; }`;

const TOOL = `export const tools = [{ id: 'keep', name: 'keep', description: 'Keeps as many MiB.', parameters: { type: 'object' },
  execute: ({ n }) => {
    if (n < 0) return long(n).length;
    const kept = [];
    for (let i = 0; i < n; i += 1) kept.push(new Array(${MIB} / 8).fill(i));
    return kept.length;
  } }];`;

const PACKAGE = {
  'node_modules/large/package.json': '{ "type": "module", "exports": "./index.js" }',
  'node_modules/large/index.js': LONG,
};

async function call(
  plugin: PluginSpec,
  packages: 'separate' | 'together',
  n: number,
): Promise<{ text: string; isError: boolean }> {
  await using engine = await startEngine([makePlugin({ id: 'sample', ...plugin })], {
    packages: { sample: packages },
    limits: { memoryMb: 128 },
  });
  const [tool] = engine.catalog.list();
  const { content, isError } = await engine.call(tool?.id ?? '', { n });
  return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''), isError };
}

/**
 * A guest of 128 MiB can keep 120 to 123 MiB beside a small plugin. With these texts it could keep 114 MiB if each is
 * in its memory once, and 106 if it is there twice.
 */
const KEPT_MIB = 110;

describe('the text of a bundle', () => {
  it.each([
    ['one text', 'together', { source: `${LONG}\n${TOOL}` }],
    [
      'separate packages',
      'separate',
      { source: `import { long } from 'large';\n${TOOL}`, files: PACKAGE },
    ],
    [
      'separate packages, one of which was not imported,',
      'separate',
      {
        source: `import { long } from 'large';\nexport const late = () => import('late');\n${TOOL}`,
        files: {
          ...PACKAGE,
          'node_modules/late/index.js': `globalThis.late = 'has a compartment of its own';`,
        },
      },
    ],
  ] as const)('of %s is once in the memory of a guest', async (_, packages, plugin) => {
    expect(await call(plugin, packages, KEPT_MIB)).toEqual({
      text: String(KEPT_MIB),
      isError: false,
    });
  });

  it('is there for a package that is imported for the first time by a call', async () => {
    const source = TOOL.replace('return long(n)', "return (await import('large')).long(n)").replace(
      'execute: (',
      'execute: async (',
    );
    expect(await call({ source, files: PACKAGE }, 'separate', -1)).toEqual({
      text: String(TEXT_MIB * MIB + 2),
      isError: false,
    });
  });
});
