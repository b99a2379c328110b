import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { violationOf } from '../../src/remotes/check-input.js';
import { processorMs } from '../processor-time.js';

const schema: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1, maxLength: 10 },
    depth: { type: 'integer', minimum: 0, maximum: 3 },
    mode: { enum: ['read', 'write'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    target: { anyOf: [{ type: 'string' }, { type: 'object', required: ['id'] }] },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('the input of a remote tool', () => {
  it.each<[Json]>([['rm -rf'], [5], [[1]], [null], [true]])('is refused if it is %j', (input) => {
    expect(violationOf({}, input)).toMatch(/must be an object/);
  });

  it.each<[JsonObject]>([
    [{ path: 'a' }],
    [{ path: 'a', depth: 3, mode: 'read', tags: ['x'], target: 'y' }],
    [{ path: '😀'.repeat(10), target: { id: 1 } }],
  ])('fits its schema: %j', (input) => {
    expect(violationOf(schema, input)).toBeUndefined();
  });

  it.each<[JsonObject, RegExp]>([
    [{}, /needs "path"/],
    [{ path: 5 }, /the input\.path: must be string, not number/],
    [{ path: '' }, /minLength is 1/],
    [{ path: 'x'.repeat(11) }, /maxLength is 10/],
    [{ path: 'a', depth: 1.5 }, /must be integer/],
    [{ path: 'a', depth: 4 }, /maximum is 3/],
    [{ path: 'a', mode: 'delete' }, /not one of the allowed values/],
    [{ path: 'a', tags: ['a', 1] }, /tags\[1\]: must be string/],
    [{ path: 'a', tags: ['a', 'b', 'c'] }, /maxItems is 2/],
    [{ path: 'a', target: 5 }, /none of the allowed forms/],
    [{ path: 'a', other: 1 }, /the input\.other: is not allowed/],
    [JSON.parse('{"path":"a","__proto__":1}'), /is not allowed/],
  ])('does not fit its schema: %j', (input, message) => {
    expect(violationOf(schema, input)).toMatch(message);
  });

  it('leaves to the server what a stranger could make expensive', () => {
    const hostile = { properties: { a: { pattern: '^(a+)+$' }, b: { $ref: '#/nope' } } };
    expect(violationOf(hostile, { a: `${'a'.repeat(40)}!`, b: 1 })).toBeUndefined();
  });

  it('costs a bounded time, whatever the schema', () => {
    let nested: JsonObject = { type: 'number' };
    for (let depth = 0; depth < 25; depth += 1) nested = { anyOf: [nested, nested] };
    const ms = processorMs(() => violationOf({ properties: { a: nested } }, { a: 'x' }));
    expect(ms).toBeLessThan(2_000);
  });

  it('is checked without an error for any schema', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (any, input) => {
        const value: Json = JSON.parse(JSON.stringify(input));
        const part: Json = JSON.parse(JSON.stringify(any));
        violationOf({ properties: { a: part }, allOf: part, items: part }, { a: value });
      }),
    );
  });
});
