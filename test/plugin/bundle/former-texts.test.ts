import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serialize } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { makeBundler } from '../../../src/plugin/bundle/bundler.js';
import { makeFormerTexts } from '../../../src/plugin/bundle/former-texts.js';
import type { BuiltInPieces } from '../../../src/plugin/bundle/parse-built.js';
import { abbreviate, integrityOfPieces, restorePieces } from '../../../src/plugin/bundle/pieces.js';
import type { BundleSpec } from '../../../src/plugin/bundle/spec.js';
import { integrityOf } from '../../../src/plugin/integrity.js';
import { makePlugin } from './fixture.js';

const LONG = 'a long piece of code; '.repeat(100);
const OTHER = 'another piece of code; '.repeat(100);

describe('the pieces of a text', () => {
  it('are sent as numbers if the receiver has them', () => {
    const short = abbreviate(['new', LONG, ',', OTHER], [OTHER, 'old', LONG, ',', OTHER]);
    expect(short).toEqual(['new', 2, ',', 4]);
    expect(restorePieces(short, [OTHER, 'old', LONG, ',', OTHER])).toEqual([
      'new',
      LONG,
      ',',
      OTHER,
    ]);
  });

  it('have the hash of the joined text', () => {
    const pieces = ['é', LONG, '\n', '字'];
    expect(integrityOfPieces(pieces)).toBe(integrityOf(pieces.join('')));
  });

  it.each([
    ['no list', 'text'],
    ['something that is neither text nor number', [{}]],
    ['a number that no piece has', [2]],
    ['a number of no whole', [0.5]],
    ['a negative number', [-1]],
    ['a piece twice', [1, 1]],
    ['a piece before another one', [1, 0]],
  ])('are refused: %s', (_, value) => {
    expect(restorePieces(value, [LONG, OTHER])).toBeUndefined();
  });

  it('are refused if the text would be far too long', () => {
    const former = Array.from({ length: 300 }, () => 'x'.repeat(1024 * 1024));
    const all = former.map((__, index) => index);
    expect(restorePieces(all.slice(0, 200), former)).toHaveLength(200);
    expect(restorePieces(all, former)).toBeUndefined();
  });
});

const SPEC: BundleSpec = { directory: '/plugin', entry: { file: 'index.js' } };

function built(code: readonly string[]): BuiltInPieces {
  return {
    bundle: {
      code,
      sourceMap: ['{}'],
      hash: 'hash',
      assignedGlobals: [],
      inputs: [],
      packages: [],
      warnings: [],
      broken: [],
    },
    evidence: { root: '/plugin', hoisted: [], files: {}, lookups: {} },
  };
}

describe('the former texts', () => {
  it('are those of the last bundle of the same kind', () => {
    const [sender, receiver] = [makeFormerTexts(), makeFormerTexts()];
    const send = (spec: BundleSpec, code: readonly string[]): number => {
      const message = sender.shorten(spec, built(code));
      expect(receiver.read(spec, message)?.bundle.code).toBe(code.join(''));
      return serialize(message).length;
    };
    const check: BundleSpec = { ...SPEC, rewrite: false };
    expect(send(SPEC, [LONG, 'one'])).toBeGreaterThan(LONG.length);
    expect(send(check, [OTHER])).toBeGreaterThan(OTHER.length);
    expect(send(SPEC, [LONG, 'two'])).toBeLessThan(LONG.length);
    expect(send(check, [OTHER])).toBeLessThan(OTHER.length);
    // A third kind takes the place of the oldest one.
    expect(send({ ...SPEC, separate: 'installed' }, [LONG])).toBeGreaterThan(LONG.length);
    expect(send(SPEC, [LONG])).toBeGreaterThan(LONG.length);
  });

  it('are not read from a message of another form', () => {
    const texts = makeFormerTexts();
    expect(texts.read(SPEC, undefined)).toBeUndefined();
    expect(texts.read(SPEC, { bundle: 1 })).toBeUndefined();
    expect(texts.read(SPEC, { bundle: { code: [0], sourceMap: [] } })).toBeUndefined();
    // All is right but the hash.
    const message = { ...built([LONG]), bundle: { ...built([LONG]).bundle, hash: 1 } };
    expect(texts.read(SPEC, message)).toBeUndefined();
    expect(
      texts.read(SPEC, { ...built([]), bundle: { ...built([]).bundle, code: [0] } }),
    ).toBeUndefined();
  });
});

describe('a bundler’s process', () => {
  it('sends the packages of an author’s plugin once', async () => {
    const sizes: number[] = [];
    const bundler = makeBundler({
      start: async ({ args }): Promise<ChildProcess> => {
        const child = spawn(process.execPath, args, {
          stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
          env: {},
          serialization: 'advanced',
        });
        return child.on('message', (message) => void sizes.push(serialize(message).length));
      },
    });
    const directory = makePlugin({
      'index.js': `import { list } from 'large'; export const tools = [list, 0];`,
      'node_modules/large/index.js': `exports.list = ${JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index))};`,
    });
    const spec: BundleSpec = { directory, entry: { file: 'index.js' }, separate: 'installed' };
    for (const turn of [1, 2, 3]) {
      writeFileSync(
        join(directory, 'index.js'),
        `import { list } from 'large'; export const tools = [list, ${turn}];`,
      );
      const { bundle } = await bundler.build(spec);
      const whole = await buildBundle(spec);
      expect(bundle.code).toBe(whole.bundle.code);
      expect(bundle.sourceMap).toBe(whole.bundle.sourceMap);
      expect(bundle.hash).toBe(integrityOf(bundle.code));
    }
    const [first = 0, second = 0, third = 0] = sizes;
    expect(first).toBeGreaterThan(200_000);
    expect([second, third].every((size) => size > 0 && size < 20_000)).toBe(true);
  });
});
