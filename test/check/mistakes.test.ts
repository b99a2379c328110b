import { describe, expect, it } from 'vitest';
import { findSchemaMistakes } from '../../src/schema/mistakes.js';

describe('findSchemaMistakes', () => {
  it.each([
    [{ type: 'objct' }, '#/type "objct" is not a type. Did you mean "object"?'],
    [{ type: ['string', 'nul'] }, '#/type "nul" is not a type. Did you mean "null"?'],
    [
      { type: 'object', properties: { a: { items: { type: 7 } } } },
      '#/properties/a/items/type 7 is not a type.',
    ],
    [{ propertes: {} }, '#/propertes is not a keyword. Did you mean "properties"?'],
    [{ properties: { city: 'string' } }, '#/properties must be an object of schemas.'],
    [{ enum: [] }, '#/enum must be a list that is not empty.'],
    [{ minLength: '1' }, '#/minLength must be a whole number from 0.'],
    [
      { properties: { city: {} }, required: ['citty'] },
      '#/required "citty" is not a property. Did you mean "city"?',
    ],
  ])('finds the mistake in %j', (schema, mistake) => {
    expect(findSchemaMistakes(schema).map(({ place, message }) => `${place} ${message}`)).toEqual([
      mistake,
    ]);
  });

  it.each([
    [{ type: 'object', properties: { type: { const: 1 }, requird: { type: 'null' } } }],
    [{ 'x-order': 3, required: ['other'], properties: {} }],
    [{ properties: { a: true }, minimum: 1.5, required: true }],
    [{ $defs: { a: { type: 'integer' } }, $ref: '#/$defs/a' }],
  ])('finds none in %j', (schema) => {
    expect(findSchemaMistakes(schema)).toEqual([]);
  });

  it('stops after 20', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 900 }, (_, index) => [`p${index}`, { type: 'objct' }]),
    );
    expect(findSchemaMistakes({ properties })).toHaveLength(20);
  });
});
