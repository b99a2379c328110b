import { expect, it } from 'vitest';
import { type KeptPlugin, readKept, writeKept } from '../../src/lock/kept.js';
import { checkSchema } from '../../src/schema/check.js';

const keptWith = (schema: object): KeptPlugin => ({
  plugin: {
    id: 'p',
    format: 'vellum',
    manifest: 'package.json',
    name: 'p',
    version: '1.0.0',
    description: undefined,
    about: {},
    entries: [],
    environment: [],
    config: [],
    configSchema: checkSchema(schema, 'config'),
  },
  bundles: {},
});

it('what is kept of a plugin has the schema that its configuration has to fit', () => {
  const schema = { type: 'object', required: ['key'] };
  const { text, address } = writeKept(keptWith(schema));
  expect(readKept(text, address)?.plugin.configSchema?.schema).toEqual(schema);
});

it('a schema that has changed is not what was accepted', () => {
  const address = (schema: object): string => writeKept(keptWith(schema)).address;
  expect(address({ required: ['key'] })).toBe(address({ required: ['key'] }));
  expect(address({ required: ['key'] })).not.toBe(address({}));
});
