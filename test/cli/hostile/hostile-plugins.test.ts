import { readdirSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  BUNDLED_SECRET,
  SECRET_FILE,
  readHostilePlugins,
} from '../../../src/cli/hostile/plugins.js';
import { ROOT, readText } from '../../architecture/sources.js';

const fixtures = join(ROOT, 'fixtures');
const hostilePlugins = await readHostilePlugins({
  fixtures,
  listDirectory: (path) => Promise.resolve(readdirSync(path)),
  readFile: (path) => readFile(path, 'utf8'),
  realPath: (path) => realpath(path),
});

describe('the hostile plugins of the package', () => {
  it('are all of its directories', () => {
    const entries = readdirSync(join(fixtures, 'hostile'), { withFileTypes: true });
    expect(hostilePlugins.map(({ name }) => name)).toEqual(
      entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).toSorted(),
    );
    expect(hostilePlugins.length).toBeGreaterThan(0);
  });

  it('lie beside files that are worth reading', () => {
    expect(readText('fixtures/hostile/outside.json')).toContain(BUNDLED_SECRET);
    expect(readText(`fixtures/${SECRET_FILE}`).trim().length).toBeGreaterThan(20);
  });

  it('are in the package, with the well-behaved ones', () => {
    const { files } = JSON.parse(readText('package.json')) as { files: string[] };
    expect(files).toEqual(expect.arrayContaining(['fixtures/hostile', 'fixtures/plugins']));
  });
});
