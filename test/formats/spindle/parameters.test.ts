import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { repairTypes } from '../../../src/formats/spindle/tool.js';

describe('Spindle parameters', () => {
  test('with other type names are converted to the types of JSON Schema', () => {
    expect(
      repairTypes({
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
      isRepaired: true,
      schema: {
        type: 'object',
        properties: {
          a: { type: 'string', enum: ['INT'], default: 'ANY' },
          b: { type: ['integer', 'null'] },
          c: { description: 'anything' },
          d: {
            type: 'array',
            items: { type: 'object', properties: { type: { type: 'boolean' } } },
          },
          type: { type: 'number' },
        },
        required: ['a'],
      },
    });
  });

  test('that are not readable stay unchanged, to be refused later', () => {
    const schema = { type: 'object', properties: { a: { type: 'potato' } } };
    expect(repairTypes(schema)).toEqual({ isRepaired: false, schema });
  });

  test('in JSON Schema are not changed', () => {
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
        expect(repairTypes(written)).toEqual({ isRepaired: false, schema: written });
      }),
    );
  });
});
