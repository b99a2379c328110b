import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type * as Entry from '../../../src/schema/validator/entry.js';

// The bundle that guests evaluate.
const bundle = readFileSync(new URL('../../../dist/validator.js', import.meta.url), 'utf8');
const { compile }: typeof Entry = runInThisContext(bundle)();

const validate = (schema: JsonObject, input: unknown): Entry.ValidatorAnswer =>
  compile(schema)(input);
const problems = (schema: JsonObject, input: unknown): readonly string[] => {
  const answer = validate(schema, input);
  return answer.ok ? [] : answer.problems;
};

describe('the validation of an input', () => {
  const city = {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number', default: 3 } },
    required: ['city'],
  };

  test('fills in defaults', () => {
    expect(validate(city, { city: 'Oslo' })).toEqual({
      ok: true,
      value: { city: 'Oslo', days: 3 },
    });
  });

  test('does not coerce types', () => {
    expect(problems(city, { city: 'Oslo', days: '3' })).toEqual(['days: must be number']);
  });

  test('names a missing property', () => {
    expect(problems(city, {})).toEqual(["input: must have required property 'city'"]);
  });

  test('refuses an input that is not an object', () => {
    expect(problems(city, 'Oslo')).toEqual(['input: must be object']);
    expect(problems(city, undefined)).toEqual(['input: must be object']);
  });

  test('names the allowed values', () => {
    const schema = {
      properties: {
        unit: { enum: ['c', 'f'] },
        kind: { const: 'x' },
        list: { type: 'array', items: { type: 'object', additionalProperties: false } },
      },
    };
    expect(problems(schema, { unit: 'k' })[0]).toMatch(/^unit: must be .*: \["c","f"\]$/);
    expect(problems(schema, { kind: 'y' })[0]).toBe('kind: must be equal to constant "x"');
    expect(problems(schema, { list: [{}, { evil: 1 }] })).toEqual([
      'list.1: must NOT have additional properties: "evil"',
    ]);
  });

  test('caps the number and the length of problems', () => {
    const anyOf = Array.from({ length: 50 }, (_, index) => ({ const: `${index}`.repeat(2000) }));
    const found = problems({ anyOf }, 'x');
    expect(found.length).toBeLessThanOrEqual(10);
    expect(Math.max(...found.map((text) => text.length))).toBeLessThanOrEqual(301);
  });

  test('follows references to the root by # and by its id', () => {
    for (const schema of [
      { properties: { child: { $ref: '#' }, size: { type: 'number' } } },
      { $id: 'T0', properties: { child: { $ref: 'T0' }, size: { type: 'number' } } },
    ]) {
      expect(problems(schema, { child: { child: { size: 'x' } } })).toEqual([
        'child.child.size: must be number',
      ]);
    }
  });

  test('refuses an input that is nested too deeply', () => {
    let deep: unknown = {};
    for (let level = 0; level < 100_000; level += 1) deep = { child: deep };
    const tree = { properties: { child: { $ref: '#' } } };
    expect(problems(tree, deep)).toEqual(['input: is nested too deeply']);
  });
});

describe('a schema that strict validators refuse', () => {
  test.each([
    ['an unknown keyword', { 'x-order': 1, title: 't' }, 'anything'],
    ['an unknown format', { format: 'phone-number' }, 'x'],
    ['a pattern that is invalid in Unicode mode', { pattern: '^[\\w-.]+$' }, 'a-b.c'],
    ['draft-04’s id', { id: 'weather', type: 'string' }, 'x'],
    ['a union of types', { type: ['string', 'null'] }, null],
    ['properties without a type', { properties: { a: { type: 'string' } } }, { a: 'x' }],
    ['a list of schemas for items in draft-07', draft07({ items: [{ type: 'string' }] }), ['x', 1]],
  ])('may have %s', (_, schema, input) => {
    expect(validate(schema, input).ok).toBe(true);
  });

  test('may have the exclusive bounds of draft-04', () => {
    const percent = { minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false };
    expect(problems(percent, 0)).toEqual(['input: must be > 0']);
    expect(problems({ properties: { a: percent } }, { a: 0 })).toEqual(['a: must be > 0']);
    expect(problems(percent, 9)).toEqual([]);
    expect(problems({ type: 'number', exclusiveMinimum: true }, 1)).toEqual([]);
  });

  test('may have draft-03’s required, which is ignored', () => {
    expect(problems({ properties: { a: { type: 'string', required: true } } }, {})).toEqual([]);
  });

  test('may have OpenAPI’s nullable with a type or a choice', () => {
    expect(problems({ type: 'string', nullable: true }, null)).toEqual([]);
    expect(problems({ anyOf: [{ type: 'string' }], nullable: true }, null)).toEqual([]);
    expect(problems({ anyOf: [{ type: 'string' }], nullable: false }, null)).not.toEqual([]);
    expect(problems({ enum: ['x'], nullable: true }, 'x')).toEqual([]);
  });

  test('has its known formats checked', () => {
    expect(problems({ format: 'email' }, 'ada')).toEqual(['input: must match format "email"']);
    expect(validate({ format: 'date-time' }, '2024-01-01T00:00:00Z').ok).toBe(true);
  });
});

describe('the draft', () => {
  test('is 2020-12 by default', () => {
    const pair = { prefixItems: [{ type: 'string' }], items: false };
    expect(validate(pair, ['x']).ok).toBe(true);
    expect(validate(pair, [1]).ok).toBe(false);
    expect(validate(pair, ['x', 'y']).ok).toBe(false);
  });

  test('2020-12 has dynamic references', () => {
    const tree = {
      $dynamicAnchor: 'node',
      properties: { children: { items: { $dynamicRef: '#node' } }, size: { type: 'number' } },
    };
    expect(validate(tree, { children: [{ size: 'big' }] }).ok).toBe(false);
  });

  test('2019-09 has recursive references and unevaluated properties', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2019-09/schema',
      allOf: [{ properties: { a: { $recursiveRef: '#' } } }],
      unevaluatedProperties: false,
    };
    expect(validate(schema, { a: { a: {} } }).ok).toBe(true);
    expect(validate(schema, { a: { b: {} } }).ok).toBe(false);
  });

  test('draft-07 has dependencies and lists of items', () => {
    const schema = draft07({ dependencies: { a: ['b'] } });
    expect(problems(schema, { a: 1 })[0]).toContain('must have property b');
    expect(validate(draft07({ items: [{ type: 'string' }] }), [1]).ok).toBe(false);
  });
});

function draft07(schema: JsonObject): JsonObject {
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}
