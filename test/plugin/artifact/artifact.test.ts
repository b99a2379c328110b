import { describe, expect, it } from 'vitest';
import { readArchive, writeArchive } from '../../../src/plugin/artifact/archive.js';
import {
  type Artifact,
  makeArtifact,
  parseArtifact,
} from '../../../src/plugin/artifact/artifact.js';
import { integrityOf } from '../../../src/plugin/integrity.js';
import type { Bundle, Plugin } from '../../../src/plugin/plugin.js';
import { NO_PERMISSIONS } from '../../../src/permissions/permissions.js';
import { checkSchema } from '../../../src/schema/check.js';

const CODE = '(function () { return 1 })';

const bundle: Bundle = {
  code: CODE,
  hash: integrityOf(CODE),
  sourceMap: '{"version":3,"sources":["index.ts"],"mappings":""}',
  assignedGlobals: [],
  inputs: [{ path: 'node_modules/dep/index.js', bytes: 3, hash: integrityOf('abc') }],
  packages: [{ name: 'dep', version: '1.2.3', license: 'MIT', path: 'node_modules/dep' }],
  warnings: [],
  broken: [],
};

const plugin: Plugin = {
  id: '@vendor/notes',
  format: 'pandora',
  directory: '/srv/notes',
  manifest: 'pandora.manifest.json',
  name: 'Notes',
  version: '1.0.0',
  description: undefined,
  about: {},
  entries: [
    {
      key: 'tools',
      surface: 'tools',
      file: 'index.ts',
      dialect: 'pandora',
      confinement: 'compartment',
      declared: { ...NO_PERMISSIONS, time: true, network: ['api.example.com'] },
      requireApproval: false,
    },
  ],
  environment: [],
  config: [],
  configSchema: checkSchema({ type: 'object' }, 'config'),
};

const artifact = makeArtifact(plugin, { tools: bundle, 'tools:host': bundle });

/** The artifact with one of its files changed, as an archive. */
function withFile(name: string, edit: (text: string) => string): Uint8Array {
  const files = [...readArchive(artifact.bytes)].map(([file, content]) => ({
    name: file,
    content: file === name ? Buffer.from(edit(Buffer.from(content).toString('utf8'))) : content,
  }));
  return writeArchive(files);
}

describe('an artifact', () => {
  it('is read back as it was written', () => {
    const read = parseArtifact(artifact.bytes, 'a');
    expect(read.hash).toBe(artifact.hash);
    expect(read.hash).toBe(integrityOf(artifact.bytes));
    expect(read.plugin).toEqual({
      ...artifact.plugin,
      configSchema: expect.objectContaining({ schema: { type: 'object' } }),
    });
    expect(read.plugin).not.toHaveProperty('directory');
    expect(Object.keys(read.bundles)).toEqual(['tools', 'tools:host']);
    expect(read.bundles['tools']).toMatchObject({
      code: CODE,
      sourceMap: bundle.sourceMap,
      artifact: artifact.hash,
    });
  });

  it('has the same bytes for the same plugin in another directory', () => {
    const other = makeArtifact(
      { ...plugin, directory: '/elsewhere', installedAtMs: 5 },
      {
        'tools:host': bundle,
        tools: bundle,
      },
    );
    expect(other.hash).toBe(artifact.hash);
  });

  it.each<[string, () => Artifact]>([
    ['code', () => makeArtifact(plugin, { tools: { ...bundle, code: `${CODE};` } })],
    ['a second build', () => makeArtifact(plugin, { tools: bundle })],
    ['a permission', () => makeArtifact(withNetwork('evil.test'), artifact.bundles)],
    [
      'the schema of its configuration',
      () => makeArtifact({ ...plugin, configSchema: checkSchema({}, 'c') }, artifact.bundles),
    ],
    ['a source map', () => makeArtifact(plugin, { tools: { ...bundle, sourceMap: '{}' } })],
  ])('has another hash with other %s', (_, make) => {
    expect(make().hash).not.toBe(artifact.hash);
  });

  it('lists its packages and files in a CycloneDX SBOM', () => {
    expect(JSON.parse(artifact.sbom)).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { name: '@vendor/notes', version: '1.0.0' } },
      components: [
        { type: 'library', name: 'dep', version: '1.2.3', purl: 'pkg:npm/dep@1.2.3' },
        { type: 'file', hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^ddaf35a1/) }] },
      ],
    });
  });

  it('is refused with another hash than the accepted one, wherever one bit differs', () => {
    for (let at = 0; at < artifact.bytes.length; at += 97) {
      const bytes = Uint8Array.from(artifact.bytes);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      expect(() => parseArtifact(bytes, 'a', artifact.hash)).toThrow(/its hash is/);
    }
  });

  it.each<[string, Uint8Array, RegExp]>([
    [
      'code that the index does not name',
      withFile('modules/tools.js', (text) => `${text} `),
      /does not have the hash/,
    ],
    [
      'an SBOM that hides a package',
      withFile('sbom.cdx.json', (text) => text.replace('"dep"', '"ped"')),
      /does not match/,
    ],
    [
      'an index with another version',
      withFile('artifact.json', (text) => text.replace('1.0.0', '2.0.0')),
      /does not match/,
    ],
    [
      'an origin that only the host decides',
      withFile('plugin.json', (text) => text.replace('{"about"', '{"origin":"default","about"')),
      /origin: is not known/,
    ],
    [
      'the dialect of another format',
      withFile('plugin.json', (text) => text.replace('"dialect":"pandora"', '"dialect":"spindle"')),
      /dialect of another format/,
    ],
    [
      'a permission that does not exist',
      withFile('plugin.json', (text) => text.replace('api.example.com', '*')),
      /network/,
    ],
    [
      'a manifest that is not canonical',
      withFile('plugin.json', (text) => text.replace(',', ', ')),
      /does not match/,
    ],
    [
      'bytes after its end',
      Buffer.concat([artifact.bytes, Buffer.alloc(512)]),
      /two blocks of zeros/,
    ],
    [
      'half of its bytes',
      artifact.bytes.subarray(0, artifact.bytes.length - 700),
      /cut|canonical|zeros/,
    ],
    ['no file at all', Buffer.alloc(1024), /no file plugin.json/],
    ['something else', Buffer.from('PK'), /cut/],
  ])('of another author is refused with %s', (_, bytes, message) => {
    expect(() => parseArtifact(bytes, 'a')).toThrow(message);
    expect(() => parseArtifact(bytes, 'a')).toThrow(
      expect.objectContaining({ code: 'INVALID_ARTIFACT' }),
    );
  });

  it('is refused with a file that no build names', () => {
    const files = [...readArchive(artifact.bytes)].map(([name, content]) => ({ name, content }));
    const more = writeArchive([...files, { name: 'modules/more.js', content: Buffer.from('x') }]);
    expect(() => parseArtifact(more, 'a')).toThrow(/modules\/more.js, which no build names/);
  });
});

describe('an archive', () => {
  const file = (name: string): { name: string; content: Uint8Array } => ({
    name,
    content: Buffer.from(name),
  });

  it('has one form, and is refused in each other', () => {
    const bytes = writeArchive([file('b'), file('a')]);
    expect([...readArchive(bytes).keys()]).toEqual(['a', 'b']);
    const unsorted = Buffer.concat([
      bytes.subarray(1024, 2048),
      bytes.subarray(0, 1024),
      bytes.subarray(2048),
    ]);
    expect(() => readArchive(unsorted)).toThrow(/canonical/);
    const twice = Buffer.concat([bytes.subarray(0, 1024), bytes]);
    expect(() => readArchive(twice)).toThrow(/canonical/);
    const padded = Uint8Array.from(bytes);
    padded[512 + 100] = 1;
    expect(() => readArchive(padded)).toThrow(/padding/);
    const executable = Uint8Array.from(bytes);
    executable[104] = '7'.charCodeAt(0);
    expect(() => readArchive(executable)).toThrow(/canonical/);
  });

  it('has no name that leads elsewhere', () => {
    for (const name of ['../a', '/a', 'a//b', 'a\\b', '', 'ä', 'a b', 'x'.repeat(101)]) {
      expect(() => writeArchive([file(name)])).toThrow(/not a name/);
    }
  });
});

function withNetwork(host: string): Plugin {
  const [entry] = plugin.entries;
  return entry === undefined
    ? plugin
    : { ...plugin, entries: [{ ...entry, declared: { ...entry.declared, network: [host] } }] };
}
