import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, type Format } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';

const directory = mkdtempSync(join(tmpdir(), 'bulkhead-bundled-'));
/** Node replaces each star in the pattern of an import, also in the directories above. */
const application = join(directory, 'an app*');
const modules = join(application, 'node_modules');

const APPLICATION = `import { BulkheadError, createEngine } from 'bulkhead';
  import { openLockfile } from 'bulkhead/lock';
  async function main() {
    try { openLockfile(process.argv[2], {}).read(); } catch (error) {
      console.log(error instanceof BulkheadError); }
    const engine = await createEngine({ plugins: [process.argv[3]], grant: { lorem: 'declared' },
      cacheDirectory: process.argv[4], storageDirectory: process.argv[4] });
    const { value } = await engine.call('lorem__lorem', { count: 1 });
    console.log(value);
    await engine.close();
  }
  main().catch(({ code, message }) => console.log(code, message));
`;

beforeAll(() => {
  const installed = join(modules, 'bulkhead');
  mkdirSync(installed, { recursive: true });
  // Without declarations and maps, most of the files.
  const filter = (file: string): boolean => !/\.(?:ts|map)$/.test(file);
  for (const part of ['dist', 'package.json', 'types']) {
    cpSync(join(ROOT, part), join(installed, part), { recursive: true, filter });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(installed, 'node_modules'));
  writeFileSync(join(application, 'app.mjs'), APPLICATION);
  writeFileSync(join(application, 'bulkhead.lock.json'), '{"version":1}');
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('an application', () => {
  it.each<[Format, string]>([
    ['esm', 'app-bundle.mjs'],
    ['cjs', 'app-bundle.cjs'],
  ])('that was bundled as %s runs plugins with the installed package', async (format, name) => {
    const bundled = join(application, name);
    await bundle(format, bundled);
    expect(run(bundled)).toBe('true\nlorem\n');
  });

  it('that was not bundled runs from a directory with a star and a space in its name', () => {
    expect(run(join(application, 'app.mjs'))).toBe('true\nlorem\n');
  });

  it('that was bundled says that the package is not installed beside it', async () => {
    const bundled = join(directory, 'elsewhere', 'app.mjs');
    await bundle('esm', bundled);
    const output = run(bundled);
    expect(output).toContain('INVALID_OPTIONS This application was bundled');
    expect(output).toContain('Install it there, or keep it out of the bundle.');
  });
});

async function bundle(format: Format, outfile: string): Promise<void> {
  await build({
    // Not an entry point by its path, in which esbuild would expand the star.
    stdin: { contents: APPLICATION, resolveDir: application },
    outfile,
    format,
    bundle: true,
    platform: 'node',
    minify: true,
    logLevel: 'silent',
    // A CommonJS package of the bundle requires modules of Node.
    banner:
      format === 'esm'
        ? {
            js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);",
          }
        : {},
  });
}

function run(program: string): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      program,
      join(application, 'bulkhead.lock.json'),
      join(ROOT, 'fixtures/plugins/pandora/lorem'),
      join(directory, 'cache'),
    ],
    { encoding: 'utf8' },
  );
  return stdout + stderr;
}
