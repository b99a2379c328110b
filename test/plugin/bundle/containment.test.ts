import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { openPluginFiles } from '../../../src/plugin/bundle/files.js';
import { BUNDLE_LIMITS, type BundleSpec } from '../../../src/plugin/bundle/spec.js';
import { bundleFiles, makePlugin } from './fixture.js';

const hostile = fileURLToPath(new URL('../../../fixtures/hostile/', import.meta.url));

async function bundleHostile(name: string): Promise<string> {
  const file = ['index.ts', 'index.tsx', 'index.js'].find((entry) =>
    existsSync(join(hostile, name, entry)),
  );
  const { bundle } = await buildBundle({
    directory: join(hostile, name),
    entry: { file: file ?? 'index.ts' },
  });
  return JSON.stringify(bundle);
}

/** Contents of files outside the plugin: neither a bundle nor an error may contain them. */
const secrets = [/CANARY-OF-THE-HOST/, /root:/];

describe('a hostile plugin', () => {
  it.each([
    ['import-relative-path-outside', 'OUTSIDE_PLUGIN'],
    ['import-relative-path-outside-lazily', 'OUTSIDE_PLUGIN'],
    ['require-relative-path-outside', 'OUTSIDE_PLUGIN'],
    ['import-absolute-path', 'OUTSIDE_PLUGIN'],
    ['import-file-url', 'OUTSIDE_PLUGIN'],
    ['import-through-subpath', 'OUTSIDE_PLUGIN'],
    ['link-file-outside', 'OUTSIDE_PLUGIN'],
    ['link-absolute-path', 'OUTSIDE_PLUGIN'],
    ['link-node-modules-outside', 'OUTSIDE_PLUGIN'],
    ['package-main-outside', 'OUTSIDE_PLUGIN'],
    ['package-module-outside', 'OUTSIDE_PLUGIN'],
    ['package-browser-outside', 'OUTSIDE_PLUGIN'],
    ['package-exports-outside', 'BUNDLE_FAILED'],
    ['package-imports-outside', 'BUNDLE_FAILED'],
    ['import-data-url', 'BUNDLE_FAILED'],
    ['import-web-url', 'BUNDLE_FAILED'],
    ['link-to-itself', 'BUNDLE_FAILED'],
    ['tsconfig-outside', 'BUNDLE_FAILED'],
    ['style-import-outside', 'BUNDLE_FAILED'],
    ['jsx-runtime-outside', 'OUTSIDE_PLUGIN'],
  ])('%s gets %s, and no data of the host', async (name, code) => {
    const error: unknown = await bundleHostile(name).then(
      () => undefined,
      (problem: unknown) => problem,
    );
    expect(error).toMatchObject({ code });
    const report = JSON.stringify(error) + String(error);
    for (const secret of secrets) expect(report).not.toMatch(secret);
    expect(report).not.toContain(hostile);
  });

  it.each([
    'source-map-outside',
    'source-map-in-the-middle',
    'glob-import-outside',
    'glob-require-outside',
    'glob-module-outside',
  ])('%s is bundled without data of the host', async (name) => {
    const bundle = await bundleHostile(name);
    for (const secret of secrets) expect(bundle).not.toMatch(secret);
  });

  // The working directory contains a package.json that a search by esbuild would find.
  it.each([
    'module.require',
    'module["req" + "uire"]',
    'module[`require`]',
    '(true && module)["req" + "uire"]',
    '(true && require)',
    '(false ? 0 : require)',
    'm\\u006fdule["req" + "uire"]',
  ])('cannot make esbuild search the disk by %s', async (name) => {
    const files = { 'index.cjs': `exports.run = (name) => ${name}('./pack' + name);` };
    await expect(bundleFiles(files)).resolves.toMatchObject({ warnings: [] });
  });

  it('gets errors with places in its own files only', async () => {
    const error: unknown = await bundleHostile('import-relative-path-outside').catch(
      (problem: unknown) => problem,
    );
    expect(error).toMatchObject({
      message: expect.stringMatching(/^index\.ts:1:20: .*leads out of the plugin's directory/),
      details: {
        path: '../outside.json',
        file: 'index.ts',
        line: 1,
        column: 20,
        lineText: expect.stringContaining('import stolen'),
      },
    });
  });
});

/** Opening a FIFO to read it blocks until another process writes. */
describe('a FIFO in place of a file', () => {
  const withFifo = (files: Readonly<Record<string, string>>, fifo: string): string => {
    const directory = makePlugin(files);
    mkdirSync(dirname(join(directory, fifo)), { recursive: true });
    execFileSync('mkfifo', [join(directory, fifo)]);
    return directory;
  };
  const spec = (directory: string): BundleSpec => ({ directory, entry: { file: 'index.ts' } });

  it('cannot be imported', async () => {
    const directory = withFifo(
      { 'index.ts': `import x from './pipe.ts'; export default x;` },
      'pipe.ts',
    );
    await expect(buildBundle(spec(directory))).rejects.toMatchObject({ code: 'BUNDLE_FAILED' });
  });

  it('is ignored as package.json and tsconfig.json', async () => {
    const directory = withFifo({ 'index.ts': 'export default 1;' }, 'package.json');
    execFileSync('mkfifo', [join(directory, 'tsconfig.json')]);
    expect((await buildBundle(spec(directory))).bundle.inputs).toHaveLength(1);
  });

  it('is not opened outside the plugin', async () => {
    const outside = withFifo({}, 'secret.json');
    const fifo = join(outside, 'secret.json');
    for (const text of [
      `export default 1;\n//# sourceMappingURL=file://${fifo}`,
      `export default 1;\n//# sourceMappingURL=file://${fifo}\nexport const more: number = 2;`,
      `export default (x: string) => import(\`../../../../../../..${outside}/\${x}.json\`);`,
      `export default (x: string) => (require as any)('../../../../../../..${outside}/' + x);`,
    ]) {
      const directory = makePlugin({ 'index.ts': text });
      const { bundle } = await buildBundle(spec(directory));
      expect(bundle.inputs).toEqual([expect.objectContaining({ path: 'index.ts' })]);
    }
  });

  it('is refused on reading if it replaced a file that was found', () => {
    const directory = withFifo({ 'a.ts': '1' }, 'b.ts');
    const files = openPluginFiles(directory, BUNDLE_LIMITS);
    expect(files.locate('a.ts')).toEqual({ kind: 'file', path: 'a.ts' });
    renameSync(join(directory, 'b.ts'), join(directory, 'a.ts'));
    expect(() => files.read('a.ts')).toThrow(/leads out of the plugin's directory/);
  });
});

describe('symbolic links', () => {
  it('are followed inside the plugin', () => {
    const directory = makePlugin({ 'real/deep/a.ts': 'inside' });
    symlinkSync('real', join(directory, 'short'));
    symlinkSync('../../real/deep/a.ts', join(directory, 'real/deep/up.ts'));
    symlinkSync(join(directory, 'real'), join(directory, 'absolute'));
    const files = openPluginFiles(directory, BUNDLE_LIMITS);
    for (const path of ['short/deep/a.ts', 'short/deep/up.ts', 'absolute/deep/a.ts']) {
      expect(files.locate(path)).toEqual({ kind: 'file', path: 'real/deep/a.ts' });
    }
    expect(files.read('real/deep/a.ts')).toBe('inside');
  });

  it.each([
    ['to the parent', '..', 'link/x'],
    ['to the root', '/', 'link/etc/passwd'],
    ['that leave the plugin and return', '../PLUGIN', 'link/a.ts'],
    ['to a missing path outside', '../nowhere', 'link'],
  ])('%s are refused before anything outside is accessed', (_, target, path) => {
    const directory = makePlugin({ 'a.ts': '1' });
    symlinkSync(
      target.replace('PLUGIN', directory.split('/').at(-1) ?? ''),
      join(directory, 'link'),
    );
    const files = openPluginFiles(directory, BUNDLE_LIMITS);
    expect(() => files.locate(path)).toThrow(/leads out of the plugin's directory/);
  });

  it('in a loop are not found', () => {
    const directory = makePlugin({});
    symlinkSync('b', join(directory, 'a'));
    symlinkSync('a', join(directory, 'b'));
    expect(openPluginFiles(directory, BUNDLE_LIMITS).locate('a/x')).toBeUndefined();
  });

  it('that replace a directory after the lookup are refused on reading', () => {
    const outside = makePlugin({ 'secret.ts': 'secret' });
    const directory = makePlugin({ 'sub/secret.ts': 'own' });
    const files = openPluginFiles(directory, BUNDLE_LIMITS);
    expect(files.locate('sub/secret.ts')?.kind).toBe('file');
    renameSync(join(directory, 'sub'), join(directory, 'moved'));
    symlinkSync(outside, join(directory, 'sub'));
    expect(() => files.read('sub/secret.ts')).toThrow(/leads out of the plugin's directory/);
    // A hard link to the same file is refused too.
    linkSync(join(outside, 'secret.ts'), join(directory, 'moved/again.ts'));
    expect(() => files.read('sub/secret.ts')).toThrow(/leads out of the plugin's directory/);
    expect(readFileSync(join(outside, 'secret.ts'), 'utf8')).toBe('secret');
  });
});

describe('the caps of a bundle', () => {
  const spec = (
    files: Readonly<Record<string, string>>,
    limits: BundleSpec['limits'] & object,
  ): BundleSpec => ({
    directory: makePlugin(files),
    entry: { file: 'index.ts' },
    limits,
  });

  it.each([
    ['the bytes of a file', { maxFileBytes: 100 }, 'bytes in big.ts'],
    ['the bytes of all files', { maxTotalBytes: 1000 }, 'bytes in total'],
    ['the number of files', { maxFiles: 2 }, '2 files'],
    ['the number of lookups', { maxLookups: 5 }, '5 lookups'],
  ])('limit %s', async (_, limits, words) => {
    const files = {
      'index.ts': `import './big'; import './other'; export default 1;`,
      'big.ts': `export const big = '${'x'.repeat(2000)}'; globalThis.x = big;`,
      'other.ts': 'globalThis.y = 1;',
    };
    await expect(buildBundle(spec(files, limits))).rejects.toMatchObject({
      code: 'BUNDLE_FAILED',
      message: expect.stringContaining(words),
    });
  });

  it('limit a chain of modules', async () => {
    const chain = Array.from({ length: 60 }, (_, index): [string, string] => [
      `m${index}.ts`,
      `export * from './m${index + 1}';`,
    ]);
    const files = { 'index.ts': `export * from './m0';`, ...Object.fromEntries(chain) };
    await expect(buildBundle(spec(files, { maxFiles: 50 }))).rejects.toThrow('50 files');
  });

  it('limit a file that grows while it is read', () => {
    const directory = makePlugin({ 'a.ts': 'x'.repeat(10) });
    const files = openPluginFiles(directory, { ...BUNDLE_LIMITS, maxFileBytes: 20 });
    writeFileSync(join(directory, 'a.ts'), 'x'.repeat(30));
    expect(() => files.read('a.ts')).toThrow('bytes in a.ts');
  });
});
