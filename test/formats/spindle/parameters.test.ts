import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mendTypes } from '../../../src/formats/spindle/parameters.js';

test('types by other names become the ones of JSON Schema that they mean', () => {
  expect(
    mendTypes({
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING', enum: ['INT'], default: 'ANY' },
        b: { type: ['int', 'null'] },
        c: { type: 'any', description: 'anything' },
        d: { type: 'list', items: { type: 'dict', properties: { type: { type: 'Bool' } } } },
        type: { type: 'float' },
      },
      required: ['a'],
    }),
  ).toEqual({
    mended: true,
    schema: {
      type: 'object',
      properties: {
        a: { type: 'string', enum: ['INT'], default: 'ANY' },
        b: { type: ['integer', 'null'] },
        c: { description: 'anything' },
        d: { type: 'array', items: { type: 'object', properties: { type: { type: 'boolean' } } } },
        type: { type: 'number' },
      },
      required: ['a'],
    },
  });
});

test('what nobody can read stays as it is, to be refused', () => {
  const schema = { type: 'object', properties: { a: { type: 'potato' } } };
  expect(mendTypes(schema)).toEqual({ mended: false, schema });
});

test('a schema in the words of JSON Schema is not changed', () => {
  const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'null');
  // As it comes off the wire: without a `__proto__` of its own.
  const name = fc.string().map((text) => text.replaceAll('__proto__', 'proto'));
  const schema = fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(name, fc.record({ type, description: fc.string() })),
    default: fc.jsonValue(),
  });
  fc.assert(
    fc.property(schema, (written) => {
      expect(mendTypes(written)).toEqual({ mended: false, schema: written });
    }),
  );
});
