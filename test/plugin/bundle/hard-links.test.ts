import { linkSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildBundle } from '../../../src/plugin/bundle/build.js';
import { openPluginFiles } from '../../../src/plugin/bundle/files.js';
import { BUNDLE_LIMITS } from '../../../src/plugin/bundle/spec.js';
import { integrityOf } from '../../../src/plugin/integrity.js';
import { makePlugin } from './fixture.js';

describe('a hard link in a plugin', () => {
  it('is read like any other file, and its content is in the bundle and its hash', async () => {
    const outside = makePlugin({ 'secret.js': `export default 'of another file';` });
    const directory = makePlugin({ 'index.js': `export { default } from './linked.js';` });
    linkSync(join(outside, 'secret.js'), join(directory, 'linked.js'));
    const { bundle } = await buildBundle({ directory, entry: { file: 'index.js' } });
    expect(bundle.code).toContain('of another file');
    expect(bundle.inputs.find(({ path }) => path === 'linked.js')?.hash).toBe(
      integrityOf(`export default 'of another file';`),
    );
  });
});

describe('a file that is replaced while a plugin is read', () => {
  it('has the hash of the text that was read, which is read once', () => {
    const directory = makePlugin({ 'index.js': 'first' });
    const files = openPluginFiles(directory, BUNDLE_LIMITS);
    expect(files.locate('index.js')?.kind).toBe('file');
    expect(files.read('index.js')).toBe('first');
    writeFileSync(join(directory, 'other.js'), 'second');
    renameSync(join(directory, 'other.js'), join(directory, 'index.js'));
    expect(files.read('index.js')).toBe('first');
    expect(files.evidence.files['index.js']?.hash).toBe(integrityOf('first'));
  });
});
