import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBulkheadError } from '../../src/errors.js';
import { checkSchema } from '../../src/schema/check.js';
import { runs } from '../property-runs.js';

const refusal = (schema: unknown): string => {
  try {
    checkSchema(schema, 'weather:weather');
  } catch (error) {
    if (isBulkheadError(error, 'INVALID_SCHEMA')) return error.message;
    throw error;
  }
  return 'accepted';
};

const nested = (depth: number): unknown =>
  depth === 0 ? {} : { properties: { a: nested(depth - 1) } };

describe('a valid schema', () => {
  const city = {
    type: 'object',
    properties: { city: { type: 'string', description: 'City name' } },
    required: ['city'],
  };

  test('is copied unchanged', () => {
    expect(checkSchema(city, 't').schema).toEqual(city);
  });

  test('is copied, and the copy is frozen', () => {
    const original = structuredClone(city);
    const { schema } = checkSchema(original, 't');
    original.required.push('other');
    expect(schema).toEqual(city);
    expect(Object.isFrozen(schema['properties'])).toBe(true);
  });

  test('cannot be forged as a literal', () => {
    // @ts-expect-error -- only checkSchema creates one
    const forged: ReturnType<typeof checkSchema> = { schema: {}, draft: '2020-12' };
    expect(forged).not.toBeInstanceOf(checkSchema({}, 't').constructor);
  });

  test.each([
    ['a tree', { properties: { children: { type: 'array', items: { $ref: '#' } } } }],
    ['definitions', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }],
    ['an escaped pointer', { $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': {} } }],
    ['an anchor', { $ref: '#here', $defs: { a: { $anchor: 'here' } } }],
    ['an anchor of draft-07', { $ref: '#here', definitions: { a: { $id: '#here' } } }],
    ['its own id', { $id: 'https://example.com/s', items: { $ref: 'https://example.com/s#' } }],
    ['a short id', { $id: 'T0', properties: { next: { $ref: 'T0' } } }],
    ['an embedded schema', { $ref: 'b', $defs: { a: { $id: 'b', type: 'string' } } }],
    [
      'a reference relative to an embedded schema',
      { $ref: 'x/b', $defs: { a: { $id: 'x/b', $ref: '#/$defs/c', $defs: { c: {} } } } },
    ],
    ['a reference to a place outside $defs', { $ref: '#/shared/a', shared: { a: {} } }],
    ['a reference to true', { $ref: '#/$defs/a', $defs: { a: true } }],
    ['a dynamic tree', { $dynamicAnchor: 'node', items: { $dynamicRef: '#node' } }],
    ['properties with odd names', { properties: { $async: {}, $data: {}, $ref: {}, $schema: {} } }],
    ['data that looks like keywords', { enum: [{ $ref: 'x' }], default: { $data: 1 } }],
    ['an unknown keyword', { 'x-order': { $ref: 'file:///etc/passwd' } }],
  ])('may contain %s', (_, schema) => {
    expect(refusal(schema)).toBe('accepted');
  });
});

describe('a refused schema', () => {
  test.each([
    ['a string', 'string', /# is not an object/],
    ['a list', [], /# is not an object/],
    ['true', true, /# is not an object/],
    ['undefined', undefined, /# is not JSON/],
    ['a function', { default: () => 1 }, /#\/default is not JSON/],
    ['a date', { default: new Date(0) }, /#\/default is not JSON/],
    ['infinity', { maximum: Infinity }, /#\/maximum is not JSON/],
    ['a circle', circle(), /deeper than 32/],
    ['deep nesting', nested(20), /deeper than 32/],
    ['one long text', { description: 'x'.repeat(70_000) }, /longer than 65536 characters/],
    ['a long list', { enum: Array.from({ length: 70_000 }, () => 1) }, /longer than 65536/],
    ['many objects', { anyOf: Array.from({ length: 1001 }, () => ({})) }, /more than 1000 objects/],
    ['a long pattern', { pattern: 'a'.repeat(3000) }, /pattern longer than 2000/],
    [
      'a long key pattern',
      { patternProperties: { ['a'.repeat(3000)]: {} } },
      /pattern longer than/,
    ],
  ])('is or contains %s', (_, schema, why) => {
    expect(refusal(schema)).toMatch(why);
  });

  test.each([
    ['https://example.com/other.json', /refers to "https:\/\/example.com\/other.json", outside/],
    ['file:///etc/passwd', /outside the schema. Put its target under "\$defs"/],
    ['other.json', /outside the schema/],
    ['#/$defs/nope', /which is not a schema in this document/],
    ['#nope', /which is not a schema in this document/],
    ['#/__proto__', /which is not a schema in this document/],
    ['#/constructor/prototype', /which is not a schema in this document/],
    ['#/%zz', /is not a reference/],
    [7, /7 is not a reference/],
  ])('has a reference to %s', ($ref, why) => {
    expect(refusal({ properties: { a: { $ref } } })).toMatch(why);
    expect(refusal({ properties: { a: { $ref } } })).toContain('#/properties/a/$ref');
  });

  test.each([
    ['directly', { $ref: '#' }],
    ['by its id', { $id: 'T', allOf: [{ $ref: 'T' }] }],
    [
      'through another schema',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    ['under not', { $defs: { a: { not: { $ref: '#/$defs/a' } } } }],
    ['under if', { if: { $ref: '#' } }],
    ['under a dependency', { dependentSchemas: { x: { $ref: '#' } } }],
    ['dynamically', { $dynamicAnchor: 'n', anyOf: [{ $dynamicRef: '#n' }] }],
    ['recursively', { $recursiveAnchor: true, anyOf: [{ $recursiveRef: '#' }] }],
    ['outside $defs', { $ref: '#/x/a', x: { a: { $ref: '#/x/a' } } }],
  ])('applies itself to the same value %s', (_, schema) => {
    expect(refusal(schema)).toMatch(/refers to itself without end/);
  });

  test.each([
    ['$async', { $async: true }, '#/$async'],
    ['$async below', { properties: { a: { $async: true } } }, '#/properties/a/$async'],
    ['$data', { properties: { a: { minimum: { $data: '1/b' } } } }, '#/properties/a/minimum'],
    ['$data as a schema', { items: { $data: '#' } }, '#/items'],
  ])('has the keyword %s', (_, schema, place) => {
    expect(refusal(schema)).toContain(place);
  });
});

describe('the draft of a schema', () => {
  test.each([
    [undefined, '2020-12'],
    ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
    ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
    ['http://json-schema.org/draft-07/schema#', 'draft-07'],
    ['http://json-schema.org/draft-07/schema', 'draft-07'],
    ['http://json-schema.org/draft-06/schema#', 'draft-07'],
    ['http://json-schema.org/draft-04/schema#', 'draft-07'],
  ])('%s is read as %s', ($schema, draft) => {
    const schema = $schema === undefined ? {} : { $schema };
    expect(checkSchema(schema, 't').draft).toBe(draft);
  });

  test.each([
    'http://json-schema.org/draft-03/schema#',
    'https://evil.test/schema',
    'file:///x',
    7,
  ])('%s is refused, and the error names the supported drafts', ($schema) => {
    expect(refusal({ $schema })).toMatch(/Write the schema in 2020-12, 2019-09 or draft-07/);
  });

  test('is the same in the whole document', () => {
    const inner = { $schema: 'http://json-schema.org/draft-07/schema#' };
    expect(refusal({ properties: { a: inner } })).toMatch(/another draft/);
    expect(refusal({ ...inner, properties: { a: inner } })).toBe('accepted');
  });
});

test('any JSON is accepted or fails with INVALID_SCHEMA', () => {
  const key = fc.constantFrom(
    '$ref',
    '$id',
    'properties',
    'items',
    'anyOf',
    '$defs',
    'a',
    '$anchor',
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('#', '#/$defs/a', '#/%', 'a', 'https://x', ' ', '#a', true, 1, null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (schema) => {
      expect(typeof refusal(schema)).toBe('string');
    }),
    { numRuns: runs(2000) },
  );
});

describe('the copy of a schema', () => {
  test('has no own keys named __proto__ at any depth', () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"type":"object"},"properties":{"__proto__":{"default":1},"a":{"default":{"__proto__":{"x":1}}}}}',
    );
    const { schema } = checkSchema(hostile, 't');
    expect(JSON.stringify(schema)).toBe('{"properties":{"a":{"default":{}}}}');
    expect(Object.getPrototypeOf(schema)).toBe(Object.prototype);
  });
});

function circle(): unknown {
  const schema: Record<string, unknown> = {};
  schema['items'] = schema;
  return schema;
}
