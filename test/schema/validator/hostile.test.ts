import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { checkSchema } from '../../../src/schema/check.js';
import type * as Entry from '../../../src/schema/validator/entry.js';
import { processorMs } from '../../processor-time.js';

// The bundle that guests evaluate.
const bundle = readFileSync(new URL('../../../dist/validator.js', import.meta.url), 'utf8');
const { compile }: typeof Entry = runInThisContext(bundle)();

const validate = (schema: JsonObject, input: unknown): Entry.ValidatorAnswer =>
  compile(schema)(input);
const problems = (schema: JsonObject, input: unknown): readonly string[] => {
  const answer = validate(schema, input);
  return answer.ok ? [] : answer.problems;
};

describe('a hostile schema', () => {
  const parse = (text: string): JsonObject => JSON.parse(text);

  test('cannot set a prototype by a default for __proto__ or constructor', () => {
    const schema = parse(
      '{"properties":{"__proto__":{"default":{"polluted":1}},"constructor":{"default":{"polluted":1}}}}',
    );
    for (const given of [schema, checkSchema(schema, 't').schema]) {
      const answer = validate(given, {});
      expect(answer.ok && Reflect.ownKeys(Object(answer.value))).toEqual(['constructor']);
      expect(answer.ok && Object.getPrototypeOf(Object(answer.value))).toBe(Object.prototype);
    }
    expect('polluted' in {}).toBe(false);
  });

  test('can set a default for an inherited name', () => {
    const property = { type: 'string', default: 'given' };
    const schema = {
      required: ['toString'],
      properties: { toString: property, list: { items: { properties: { valueOf: property } } } },
    };
    expect(validate(schema, { list: [{}, 1] })).toEqual({
      ok: true,
      value: { toString: 'given', list: [{ valueOf: 'given' }, 1] },
    });
    expect(problems(schema, { toString: 1 })).toEqual(['toString: must be string']);
  });

  test.each([
    [{ toString: false }, {}],
    [{ valueOf: null }, {}],
    [{ constructor: 1 }, { constructor: 2 }],
    [{ a: [] }, { a: {} }],
    [[1, 2], [1]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1 }, null],
  ])('compares values as JSON: %j is not %j', (a, b) => {
    for (const [value, other] of [[a, b] as const, [b, a] as const]) {
      expect(validate({ const: value }, structuredClone(value)).ok).toBe(true);
      expect(validate({ enum: [other] }, value).ok).toBe(false);
      expect(validate({ uniqueItems: true }, [value, other]).ok).toBe(true);
      expect(validate({ uniqueItems: true }, [value, structuredClone(value)]).ok).toBe(false);
    }
  });

  test('cannot set a prototype by a default that contains __proto__', () => {
    const { schema } = checkSchema(
      parse('{"properties":{"a":{"default":{"__proto__":{"polluted":1}}}}}'),
      't',
    );
    const answer = validate(schema, {});
    expect(answer).toEqual({ ok: true, value: { a: {} } });
    expect(answer.ok && Object.getPrototypeOf(Object(answer.value).a)).toBe(Object.prototype);
  });

  test('cannot require an inherited property: only own properties count', () => {
    const schema = { required: ['toString'], properties: { constructor: { type: 'string' } } };
    expect(validate(schema, {}).ok).toBe(false);
    expect(validate(schema, { toString: 'x' }).ok).toBe(true);
    expect(validate(schema, { toString: 'x', constructor: 1 }).ok).toBe(false);
  });

  test.each([
    [{ type: 'strng' }, /strng/],
    [{ minimum: '1' }, /#\/minimum must be a number/],
    [{ pattern: '(' }, /Invalid regular expression/],
    [{ $ref: 'https://example.com/x' }, /can't resolve reference/],
    [{ $schema: 'http://json-schema.org/draft-03/schema#' }, /draft/],
    [{ $async: true, type: 'string' }, /asynchronous/],
    [{ $ref: '#/x', x: { $async: true } }, /async/],
  ])('%j does not compile', (schema, why) => {
    expect(() => compile(schema)).toThrow(why);
  });

  test('may have the id of another schema', () => {
    expect(
      validate(
        { $id: 'T0', type: 'string', not: { $ref: 'T0#/$defs/a' }, $defs: { a: { const: 'x' } } },
        'x',
      ).ok,
    ).toBe(false);
    expect(validate({ $id: 'T0', type: 'number' }, 1).ok).toBe(true);
  });

  test('with many references to a large schema compiles it once', () => {
    const big = { enum: Array.from({ length: 2000 }, (_, index) => `value ${index}`) };
    const schema = {
      $defs: { big },
      allOf: Array.from({ length: 400 }, () => ({ $ref: '#/$defs/big' })),
    };
    const ms = processorMs(() => expect(validate(schema, 'value 7').ok).toBe(true));
    expect(ms).toBeLessThan(2000);
  });
});
