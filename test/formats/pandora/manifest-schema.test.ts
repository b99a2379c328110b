import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseManifest } from '../../../src/formats/pandora/manifest.js';
import { checkSchema } from '../../../src/schema/check.js';
import type * as Entry from '../../../src/schema/validator/entry.js';
import { manifestText } from '../memory.js';
import { runs } from '../../property-runs.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const { compile }: typeof Entry = runInThisContext(read('../../../dist/validator.js'))();
const schema: unknown = JSON.parse(read('../../../schemas/pandora.schema.json'));
const validate = compile(checkSchema(schema, 'manifest').schema);

/** Each field with values that are right and values that are wrong. */
const values: Readonly<Record<string, readonly unknown[]>> = {
  $schema: ['x', 1],
  manifestVersion: [1, 2, '1', null],
  id: ['a', '@a/b', 'a:b', '', 'a\u0000', 'x'.repeat(201), '𝒳'.repeat(200), 1],
  name: ['n', '', 1],
  description: ['d', null],
  author: ['a', {}],
  icon: ['i', []],
  version: ['1', 1],
  homepage: ['h', true],
  repository: ['r', 0],
  license: ['l', null],
  pandora: ['>=1', '^1', '1.0.0', '*', '', 1],
  provides: [
    {},
    { tools: [] },
    { tools: { entry: 'a' } },
    { tools: { entry: 'a', sandbox: 'host', requireApproval: false, more: 1 } },
    { tools: [{ entry: 'a' }, { entry: 1 }] },
    { tools: {} },
    { tools: 'a' },
    { tools: null },
    { tools: { entry: 'a', sandbox: 'worker' } },
    { tools: { entry: 'a', requireApproval: 'yes' } },
    { tools: { entry: 'a', permissions: { time: true, network: ['*'], env: [], fs: ['x'] } } },
    { tools: { entry: 'a', permissions: { time: 1 } } },
    { tools: { entry: 'a', permissions: { storage: true, powers: ['p'] } } },
    { tools: { entry: 'a', permissions: { storage: 'yes' } } },
    { tools: { entry: 'a', permissions: { powers: [1] } } },
    { tools: { entry: 'a', permissions: { network: [1] } } },
    { tools: { entry: 'a', permissions: { random: 'true', more: 1 } } },
    { tools: { entry: 'a', permissions: [] } },
    { agents: { entry: 'a', useTools: ['x'], modelTools: [] } },
    { agents: { entry: 'a', useTools: 'x' } },
    { agents: [{ entry: 'a', sandbox: 7 }] },
    { channels: [{ entry: 'a', sandbox: 'host' }] },
    { channels: { sandbox: 'host' } },
    { more: 1 },
    [],
    'x',
  ],
  envVars: [[], [{ name: 'A' }], [{ name: 'A', required: 0 }], [{}], ['A'], {}],
  configFields: [
    [],
    [{ key: 'k', label: 'K', type: 'text' }],
    [{ key: 'k', label: 'K', type: 'enum', options: [{ value: 'v', label: 'V' }], more: 1 }],
    [{ key: 'k', label: 'K', type: 'enum', options: ['v'] }],
    [{ key: 'k', label: 'K', type: 'date' }],
    [{ key: 'k', label: 'K' }],
    [{ key: 'k', label: 'K', type: 'text', required: 1, placeholder: 'p' }],
    {},
  ],
  unknown: [1],
};

const agree = (text: string): void => {
  expect([text, validate(JSON.parse(text)).ok]).toEqual([text, parseManifest(text).ok]);
};

describe('the manifest schema for editors', () => {
  test('agrees with the reader on every field', () => {
    for (const [field, all] of Object.entries(values)) {
      for (const value of [...all, undefined]) agree(manifestText({ [field]: value }));
    }
  });

  test('agrees with the reader on any mixture of fields', () => {
    const fields = Object.entries(values).map(
      ([field, all]) => [field, fc.constantFrom(...all)] as const,
    );
    const mixture = fc.record(Object.fromEntries(fields), { requiredKeys: [] });
    fc.assert(
      fc.property(mixture, (manifest) => agree(manifestText(manifest))),
      { numRuns: runs(500) },
    );
  });

  test('accepts the fixtures', () => {
    for (const name of ['weather', 'notes', 'kitchen-sink']) {
      const text = read(`../../../fixtures/plugins/pandora/${name}/pandora.manifest.json`);
      expect(validate(JSON.parse(text))).toMatchObject({ ok: true });
    }
  });
});
