import { readdirSync, readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/formats/spindle/manifest.js';
import { extensionShape } from '../../src/formats/vellum/package.js';
import { checkSchema } from '../../src/schema/check.js';
import { readShape } from '../../src/schema/shape.js';
import type * as Entry from '../../src/schema/validator/entry.js';

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { compile }: typeof Entry = runInThisContext(read('dist/validator.js'))();

function validator(name: string): (value: unknown) => boolean {
  const { schema } = checkSchema(JSON.parse(read(`schemas/${name}.schema.json`)), name);
  const validate = compile(schema);
  return (value) => validate(value).ok;
}

const PERMISSIONS: readonly unknown[] = [
  {},
  {
    time: true,
    network: ['*'],
    env: ['A'],
    fs: ['x'],
    random: false,
    storage: true,
    powers: ['p'],
  },
  { time: 'yes' },
  { network: 'api.example.com' },
  { network: [1] },
  { env: {} },
  { storage: 1 },
  { more: 1 },
  [],
  null,
];

describe('the schema of spindle.json', () => {
  const fits = validator('spindle');
  const whole = { version: '1', name: 'n', identifier: 'a_b', author: 'a' };
  const values: Readonly<Record<string, readonly unknown[]>> = {
    $schema: ['x', 1],
    version: ['1.0.0', '', ' ', 1],
    name: ['n', '\n', null],
    identifier: ['a', 'a_1', 'A', '1a', 'a-b', 'mcp', 'a'.repeat(128), 'a'.repeat(129), 1],
    author: ['a', '', []],
    github: ['', 'https://github.com/a/b', 'http://github.com/a/b', 'javascript:x', 'a', 1],
    homepage: ['', 'HTTPS://a.test', 'ftp://a.test'],
    description: ['', 'd', 1],
    permissions: [[], ['tools'], 'tools', [1]],
    requested_capabilities: [['x'], [null]],
    entry_backend: ['dist/backend.js', ' ', 1],
    entry_frontend: ['dist/frontend.js', ''],
    minimum_lumiverse_version: ['0.9', 1],
    storage_seed_files: [
      [],
      [{ from: 'a', to: 'b', overwrite: true, required: false, more: 1 }],
      [{}],
      [{ from: '' }],
      [{ from: 'a', to: ' ' }],
      [{ from: 'a', overwrite: 'yes' }],
      ['a'],
      {},
    ],
    interceptorTimeoutMs: [100, '100'],
    bulkhead: [...PERMISSIONS.map((permissions) => ({ permissions })), {}, [], 'x'],
    unknown: [1],
  };

  it('agrees with the reader on every field', () => {
    for (const [field, all] of Object.entries(values)) {
      for (const value of [...all, undefined]) {
        const text = JSON.stringify({ ...whole, [field]: value });
        expect([text, fits(JSON.parse(text))]).toEqual([text, parseManifest(text).ok]);
      }
    }
  });

  it('accepts the fixtures', () => {
    for (const name of readdirSync(new URL('../../fixtures/plugins/spindle', import.meta.url))) {
      const manifest: unknown = JSON.parse(read(`fixtures/plugins/spindle/${name}/spindle.json`));
      expect([name, fits(manifest)]).toEqual([name, true]);
    }
  });
});

describe('the schema of the key bulkhead in package.json', () => {
  const fits = validator('package');

  it.each([
    ...PERMISSIONS.map((permissions) => ({ bulkhead: { permissions } })),
    {},
    { bulkhead: {} },
    { bulkhead: [] },
    { bulkhead: { stateless: true } },
    { bulkhead: { stateless: 'yes' } },
    { name: 'x', config: { port: 1 }, more: 1 },
  ])('agrees with the reader on %j', (value) => {
    expect(fits(value)).toBe(readShape(extensionShape, value, '').ok);
  });

  it('accepts the fixtures', () => {
    for (const format of ['vellum', 'mcp-server']) {
      const directory = new URL(`../../fixtures/plugins/${format}`, import.meta.url);
      for (const name of readdirSync(directory)) {
        const manifest: unknown = JSON.parse(
          read(`fixtures/plugins/${format}/${name}/package.json`),
        );
        expect([name, fits(manifest)]).toEqual([name, true]);
      }
    }
  });
});
