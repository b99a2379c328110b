import { symlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { findHoisted } from '../../../src/plugin/bundle/hoisted.js';
import { isCurrent } from '../../../src/plugin/bundle/is-current.js';
import { makePlugin } from './fixture.js';

const manifest = (name: string, dependencies: readonly string[] = []): string =>
  JSON.stringify({
    name,
    version: '1.0.0',
    dependencies: Object.fromEntries(dependencies.map((one) => [one, '*'])),
  });

/** A project in which npm installed a plugin and, beside it, what the plugin depends on. */
function install(dependencies: readonly string[], source: string): string {
  const project = makePlugin({
    'node_modules/plugin/package.json': manifest('plugin', dependencies),
    'node_modules/plugin/index.ts': source,
    'node_modules/@scope/direct/package.json': manifest('@scope/direct', ['indirect', 'plugin']),
    'node_modules/@scope/direct/index.js': `exports.say = () => 'direct ' + require('indirect');`,
    'node_modules/indirect/package.json': manifest('indirect'),
    'node_modules/indirect/index.js': `module.exports = 'indirect';`,
    'node_modules/secret/package.json': manifest('secret'),
    'node_modules/secret/index.js': `module.exports = 'CANARY-OF-THE-HOST';`,
    'node_modules/unpublished/package.json': '{ "name": "unpublished", "private": true }',
    'node_modules/unpublished/index.js': `module.exports = 'CANARY-OF-THE-HOST';`,
    'secret/package.json': manifest('secret'),
    'secret/index.js': `module.exports = 'CANARY-OF-THE-HOST';`,
  });
  symlinkSync('../secret', join(project, 'node_modules/linked'));
  return join(project, 'node_modules/plugin');
}

const build = (directory: string) => buildBundle({ directory, entry: { file: 'index.ts' } });

describe('packages beside an installed plugin', () => {
  it('are bundled if the plugin depends on them, directly or not', async () => {
    const root = install(
      ['@scope/direct'],
      `import { say } from '@scope/direct'; export const a = say();`,
    );
    expect(findHoisted(root)).toEqual(['@scope/direct', 'indirect']);
    const { bundle } = await build(root);
    expect(bundle.code).toContain(`'direct '`.replaceAll("'", '"'));
    expect(bundle.packages.map(({ name }) => name).toSorted()).toEqual([
      '@scope/direct',
      'indirect',
    ]);
  });

  it.each([
    ['a package that nothing names', ['@scope/direct'], 'secret'],
    ['a link', ['linked'], 'linked'],
    ['a private package, which may be the code of the host', ['unpublished'], 'unpublished'],
    ['a path', ['../secret', '..', '@scope/../secret'], '../../secret'],
    ['a relative path to a neighbour', ['@scope/direct'], '../secret/index.js'],
  ])('are not %s', async (_, dependencies, specifier) => {
    const root = install(
      dependencies,
      `import x from ${JSON.stringify(specifier)}; export const a = x;`,
    );
    expect(findHoisted(root).filter((name) => !/direct/.test(name))).toEqual([]);
    await expect(build(root)).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:BUNDLE_FAILED|OUTSIDE_PLUGIN)$/),
      message: expect.not.stringContaining('CANARY'),
    });
  });

  it('yield to the plugin’s own', async () => {
    const root = install(['indirect'], `import x from 'indirect'; export const a = x;`);
    const project = makePlugin({ 'indirect/index.js': `module.exports = 'own';` });
    expect(findHoisted(root)).toEqual(['indirect']);
    symlinkSync(project, join(root, 'node_modules'));
    expect(findHoisted(root)).toEqual([]);
    await expect(build(root)).rejects.toMatchObject({ code: 'OUTSIDE_PLUGIN' });
  });

  it('are built again after a change', async () => {
    const root = install(['indirect'], `import x from 'indirect'; export const a = x;`);
    const { evidence } = await build(root);
    expect(await isCurrent(evidence)).toBe(true);
    writeFileSync(join(root, '../indirect/index.js'), `module.exports = 'another';`);
    expect(await isCurrent(evidence)).toBe(false);
    const { evidence: next } = await build(root);
    expect(await isCurrent(next)).toBe(true);
    rmSync(join(root, '../indirect'), { recursive: true });
    expect(await isCurrent(next)).toBe(false);
  });

  it('do not exist for a plugin that is not installed', () => {
    expect(findHoisted(makePlugin({ 'package.json': manifest('x', ['indirect']) }))).toEqual([]);
  });
});
