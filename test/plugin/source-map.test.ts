import { SourceMap } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import {
  findOriginalPosition,
  makeSourceFinder,
  makeStackMapper,
} from '../../src/plugin/source-map.js';
import { bundleFiles, runUnderSes } from './bundle/fixture.js';

const files = {
  'index.ts': [
    `import { fail } from './src/deep';`,
    `import { EventEmitter } from 'node:events';`,
    ``,
    `enum Level { Low }`,
    `/* a comment`,
    `   import( <!-- */`,
    `const text = \`<!--`,
    `  -->\`;`,
    `export function run(): void {`,
    `  const emitter = new EventEmitter();`,
    `  emitter.on('x', function listen() { fail(text + Level.Low); });`,
    `  emitter.emit('x');`,
    `}`,
  ].join('\n'),
  'src/deep.ts': [
    `interface Unused { x: number }`,
    ``,
    `export const fail = (why: string): never => {`,
    `  throw new TypeError(why.length > 3 ? 'failed on purpose' : 'no');`,
    `};`,
  ].join('\n'),
};

describe('the source map of a bundle', () => {
  it("maps a guest's stack to the plugin's own lines", async () => {
    const bundle = await bundleFiles(files);
    const { stack = '' } = await runUnderSes(bundle, { call: 'run' });
    expect(stack).toContain('ses-run.mjs');
    const map = makeStackMapper('bulkhead:test', () => bundle.sourceMap);
    const mapped = map(`TypeError: failed on purpose\n${stack.trimStart()}`);
    expect(mapped.split('\n')).toEqual([
      'TypeError: failed on purpose',
      expect.stringMatching(/^ {4}at fail \(src\/deep\.ts:4:\d+\)$/),
      expect.stringMatching(/^ {4}at \S*listen \(index\.ts:11:\d+\)$/),
      expect.stringMatching(/^ {4}at \S*run \(index\.ts:12:\d+\)$/),
    ]);
  });

  it('finds the source of a position, if the position has one', async () => {
    const bundle = await bundleFiles(files);
    const lines = bundle.code.split('\n');
    const line = lines.findIndex((text) => text.includes('failed on purpose')) + 1;
    expect(findOriginalPosition(bundle.sourceMap, line, 8)).toMatchObject({
      source: 'src/deep.ts',
      line: 4,
    });
    const builtin = lines.findIndex((text) => text.includes('removeAllListeners')) + 1;
    expect(builtin).toBeGreaterThan(0);
    expect(findOriginalPosition(bundle.sourceMap, builtin, 8)).toBeUndefined();
    expect(findOriginalPosition(bundle.sourceMap, 999_999, 1)).toBeUndefined();
  });

  it('is read once, and not at all if it is too large', () => {
    const map = {
      version: 3,
      sources: ['a.ts'],
      names: [],
      mappings: `AAAA;${'A'.repeat(17_000_000)}`,
    };
    const large = makeStackMapper('plugin/a.js', () => JSON.stringify(map));
    const stack = 'Error: x\n    at run (plugin/a.js:1:1)';
    expect(large(stack)).toBe('Error: x');
    const small = makeStackMapper('plugin/a.js', () =>
      JSON.stringify({ ...map, mappings: 'AAAA' }),
    );
    const parse = vi.spyOn(JSON, 'parse');
    for (let time = 0; time < 10; time += 1) {
      expect(small(stack)).toBe('Error: x\n    at run (a.ts:1:1)');
    }
    expect(parse).toHaveBeenCalledOnce();
    parse.mockRestore();
  });

  it('is read like Node reads it, at each position and in any order', async () => {
    const { sourceMap, code } = await bundleFiles(files);
    const oracle = new SourceMap(JSON.parse(sourceMap));
    const find = makeSourceFinder(sourceMap);
    const lines = code.split('\n');
    // Backwards, so that states of earlier lines are used.
    for (let line = lines.length; line >= 1; line -= 1) {
      const width = lines[line - 1]?.length ?? 0;
      for (let column = 1; column <= width + 1; column += 7) {
        const entry = oracle.findEntry(line - 1, column - 1);
        const source = 'originalSource' in entry ? entry.originalSource : undefined;
        const isOurs =
          'generatedLine' in entry &&
          entry.generatedLine === line - 1 &&
          source !== undefined &&
          !source.startsWith('bulkhead:');
        expect([line, column, find(line, column)]).toEqual([
          line,
          column,
          isOurs
            ? { source, line: entry.originalLine + 1, column: entry.originalColumn + 1 }
            : undefined,
        ]);
      }
    }
  });

  it('finds lines of a plugin with many packages', () => {
    // 200,000 lines: each segment is on the next line of the source.
    const mappings = `AAAA;${'AACA;'.repeat(199_999)}${'A,'.repeat(2_000_000)}`;
    const map = JSON.stringify({ version: 3, sources: ['big.js'], names: [], mappings });
    const find = makeSourceFinder(map);
    for (const line of [199_990, 3, 150_000]) {
      expect(find(line, 5)).toEqual({ source: 'big.js', line, column: 1 });
    }
    const stack = makeStackMapper('plugin/a.js', () => map);
    expect(stack('Error: x\n    at run (plugin/a.js:123456:1)')).toBe(
      'Error: x\n    at run (big.js:123456:1)',
    );
  });

  it.each([
    ['', 1],
    ['!!!!;AAAA', 2],
    ['gggggggggggggggg', 1],
    ['AAAA,!', 2],
    ['ADAA', 1],
    ['\u{1F600}', 1],
  ])('that is broken (%j) names no place', (mappings, line) => {
    const find = makeSourceFinder(
      JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings }),
    );
    expect(find(line, 1)).toBeUndefined();
    expect(makeSourceFinder(JSON.stringify({ mappings, sources: 3 }))(1, 1)).toBeUndefined();
    expect(makeSourceFinder('null')(1, 1)).toBeUndefined();
  });

  it("contains the plugin's sources by their relative paths, and none of the host's", async () => {
    const { sourceMap } = await bundleFiles(files);
    const map = JSON.parse(sourceMap) as { sources: string[]; sourcesContent: (string | null)[] };
    const own = map.sources.filter((source) => !source.startsWith('bulkhead:'));
    expect(own.toSorted()).toEqual(['index.ts', 'src/deep.ts']);
    map.sources.forEach((source, index) => {
      if (source.startsWith('bulkhead:')) expect(map.sourcesContent[index]).toBeNull();
      else
        expect(map.sourcesContent[index]).toContain(
          source === 'index.ts' ? 'enum Level' : 'Unused',
        );
    });
    expect(sourceMap).not.toContain(process.cwd());
  });

  it('finds lines of a source that was rewritten before esbuild', async () => {
    const source = `const name: string = 'x';\n\nexport const run = () => {\n  (require as any)('./' + name);\n};`;
    const bundle = await bundleFiles(
      { 'src/index.ts': source },
      { entry: { file: 'src/index.ts' } },
    );
    const { stack = '' } = await runUnderSes(bundle, { call: 'run' });
    expect(makeStackMapper('bulkhead:test', () => bundle.sourceMap)(stack)).toMatch(
      /src\/index\.ts:4:/,
    );
  });

  it('keeps lines that are not frames, and drops unknown frames', () => {
    const map = JSON.stringify({ version: 3, sources: [], names: [], mappings: '' });
    const stack = 'Error: a\nb\n    at x (elsewhere:1:1)\n    at native';
    expect(makeStackMapper('bulkhead:test', () => map)(stack)).toBe('Error: a\nb');
  });
});
