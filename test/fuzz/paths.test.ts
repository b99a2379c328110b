import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkPath } from '../../src/brokers/filesystem/checked-path.js';
import { makeRoot } from '../../src/brokers/filesystem/roots.js';
import { FILESYSTEM_LIMITS } from '../../src/brokers/limits.js';
import { makeRefusals } from '../../src/brokers/filesystem/refusals.js';
import { brokerIn, textOf } from '../brokers/filesystem/tree.js';
import { runs } from '../property-runs.js';

// Whose content says FINE may be read, whose content says SECRET not: no path has to be judged.
let root: string;
let plugin: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'bulkhead-paths-')));
  plugin = join(root, 'plugin');
  for (const directory of ['plugin/data/deep', 'plugin/data-more', 'plugin/own', 'outside/data']) {
    mkdirSync(join(root, directory), { recursive: true });
  }
  for (const path of ['a.txt', 'deep/b.txt', '..c', '%2e%2e', 'é', 'é', 'a b']) {
    writeFileSync(join(plugin, 'data', path), 'FINE');
  }
  for (const path of ['plugin/own/a.txt', 'plugin/data-more/a.txt', 'outside/a.txt', 'a.txt']) {
    writeFileSync(join(root, path), 'SECRET');
  }
  writeFileSync(join(root, 'outside/data/a.txt'), 'SECRET');
  const links: Record<string, string> = {
    'data/in': 'deep',
    'data/out': '../../outside',
    'data/up': '..',
    'data/file': '../own/a.txt',
    'data/absolute': root,
    'data/loop': 'loop',
    'data/slash': '/',
    'own/back': '../data',
  };
  for (const [from, to] of Object.entries(links)) symlinkSync(to, join(plugin, from));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the path check', () => {
  it('never reads outside of the granted paths', async () => {
    const broker = brokerIn(plugin, ['./data']);
    let read = 0;
    await fc.assert(
      fc.asyncProperty(paths(), async (path) => {
        const text = await textOf(broker.read(path)).catch((error: unknown) => {
          expect(error).toHaveProperty('code', expect.stringMatching(/^FILESYSTEM_/));
          return undefined;
        });
        if (text === undefined) return;
        expect(text).toBe('FINE');
        read += 1;
      }),
      { numRuns: runs(1000), examples: [['data/a.txt'], ['data/in/b.txt'], ['own/back/a.txt']] },
    );
    // Refusing everything would be a way to pass as well.
    expect(read).toBeGreaterThan(2);
  });

  it('never returns a path outside of the granted paths', async () => {
    const granted = join(plugin, 'data');
    const refusals = makeRefusals({ id: 'p', manifest: 'm' }, ['./data'], FILESYSTEM_LIMITS);
    const roots = [makeRoot('./data', plugin)];
    await fc.assert(
      fc.asyncProperty(paths(), async (path) => {
        const checked = await checkPath(path, plugin, roots, refusals).catch(() => undefined);
        if (checked === undefined) return;
        expect(`${realpathSync(checked.real)}/`.startsWith(`${granted}/`)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });
});

/** Ways through the tree above, and texts that are not paths. */
function paths(): fc.Arbitrary<string> {
  const plain = fc.constantFrom('data', 'data', 'deep', 'in', 'a.txt', 'b.txt', '..c', '%2e%2e');
  const segment = fc.oneof(
    { weight: 5, arbitrary: plain },
    { weight: 2, arbitrary: fc.constantFrom('..', '.', '', 'up', 'out', 'absolute', 'slash') },
    { weight: 2, arbitrary: fc.constantFrom('outside', 'plugin', 'own', 'back', 'data-more') },
    { weight: 1, arbitrary: fc.constantFrom('file', 'loop', 'etc', 'proc', 'self', 'cwd', 'é') },
    { weight: 1, arbitrary: fc.constantFrom('a.txt\0', '..\\', '...', '~', 'a b', 'é') },
  );
  // Where the tree is, is known only when the test runs.
  const start = fc.constantFrom(
    () => 'data/',
    () => 'data/',
    () => '',
    () => '/',
    () => 'file://',
    () => `${root}/`,
    () => `${plugin}/`,
  );
  const walk = fc
    .tuple(start, fc.array(segment, { maxLength: 7 }), fc.constantFrom('/', '/', '//', '/./'))
    .map(([from, segments, slash]) => from() + segments.join(slash));
  return fc.oneof(
    { weight: 5, arbitrary: walk },
    { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    {
      weight: 1,
      arbitrary: fc
        .anything()
        .filter((some) => typeof some === 'string')
        .map(String),
    },
  );
}
