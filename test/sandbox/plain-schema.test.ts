import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPlainSchema } from '../../sandbox/plain-schema.js';
import { makeValidation } from '../../sandbox/validation.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type * as Entry from '../../src/schema/validator/entry.js';
import { runs } from '../property-runs.js';

const source = readFileSync(new URL('../../dist/validator.js', import.meta.url), 'utf8');
const { compile }: typeof Entry = runInThisContext(source)();

const names = ['city', 'n', 'toString', '__proto__', '0'];
const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json>('', 'a', 'c', 0, 1, 1.5, -2, true, null);
const type = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null');

const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.record(
    {
      type: fc.oneof(
        { weight: 3, arbitrary: type },
        fc.array(type, { minLength: 1, maxLength: 3 }),
      ),
      title: fc.constant('a'),
      enum: fc.array(scalar, { minLength: 1, maxLength: 4 }),
      minimum: fc.integer({ min: -3, max: 2 }),
      maximum: fc.integer({ min: -1, max: 3 }),
      default: fc.constant(1),
      required: fc.array(fc.constantFrom(...names), { maxLength: 2 }),
      additionalProperties: fc.oneof({ maxDepth: 2 }, fc.boolean(), tie('schema')),
      properties: fc.oneof(
        { maxDepth: 2 },
        fc.constant({}),
        fc.dictionary(fc.constantFrom(...names), tie('schema'), { maxKeys: 2 }),
      ),
      items: fc.oneof({ maxDepth: 2 }, fc.boolean(), tie('schema')),
    },
    // Mostly small ones: what is understood in full is what is to be tried.
    { requiredKeys: [] },
  ),
}));
const few = schema.map((whole) =>
  Object.fromEntries(
    Object.entries(whole)
      .filter((_, at) => at % 3 !== 2)
      .slice(0, 4),
  ),
);

const { input } = fc.letrec<{ input: Json }>((tie) => ({
  input: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('input'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('city', 'n', 'toString', '0', 'x'), tie('input'), { maxKeys: 3 }),
  ),
}));

describe('a plain schema', () => {
  test.each(['x://unknown', 5, null])(
    'that names the draft %j is left to the validator, which refuses it',
    ($schema) => {
      const whole = { $schema, type: 'object' };
      expect(readPlainSchema(whole)).toBeUndefined();
      expect(() => compile(whole)).toThrow('draft');
    },
  );

  test('takes nothing that the validator refuses, and changes nothing that it changes', () => {
    let understood = 0;
    let taken = 0;
    fc.assert(
      fc.property(few, fc.array(input, { minLength: 8, maxLength: 8 }), (written, inputs) => {
        const plain: JsonObject = JSON.parse(JSON.stringify(written));
        const fits = readPlainSchema(plain);
        if (fits === undefined) return;
        understood += 1;
        const validate = compile(plain);
        for (const one of inputs) {
          if (!fits(one)) continue;
          taken += 1;
          const copy: unknown = JSON.parse(JSON.stringify(one));
          expect(validate(copy)).toEqual({ ok: true, value: one });
        }
      }),
      { numRuns: runs(600) },
    );
    // Else it would hold of what never happens. expect(understood).toBeGreaterThan(50);
    expect(taken).toBeGreaterThan(50);
  });

  test('takes what a tool is usually called with', () => {
    const fits = readPlainSchema({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      description: 'Where, and for how long',
      properties: {
        city: { type: 'string' },
        days: { type: ['integer', 'null'], minimum: 1, maximum: 7 },
        unit: { enum: ['c', 'f'] },
        stops: { type: 'array', items: { type: 'object', additionalProperties: false } },
      },
      required: ['city'],
    });
    const whole = { city: 'Oslo', days: 3, unit: 'c', stops: [{}], more: true };
    expect(fits?.(whole)).toBe(true);
    expect(fits?.({ ...whole, days: null })).toBe(true);
    expect(fits?.({ ...whole, days: 8 })).toBe(false);
    expect(fits?.({ ...whole, unit: 'k' })).toBe(false);
    expect(fits?.({ ...whole, stops: [{ a: 1 }] })).toBe(false);
    expect(fits?.({})).toBe(false);
  });

  test('leaves to the validator a number that is none, and what every object inherits', () => {
    expect(readPlainSchema({ type: 'number' })?.(JSON.parse('1e999'))).toBe(false);
    expect(readPlainSchema({ additionalProperties: false })?.({ toString: 1 })).toBe(false);
    expect(readPlainSchema({ required: ['toString'] })?.({})).toBe(false);
  });

  test.each<{ readonly written: unknown }>(
    [
      { properties: { days: { type: 'number', default: 3 } } },
      { properties: { city: { type: 'string', pattern: '^(a+)+$' } } },
      { properties: { city: true } },
      { type: 'strng' },
      { type: [] },
      { enum: [] },
      { enum: [{}] },
      { items: [{ type: 'string' }] },
      { required: true },
      { $ref: '#' },
      { toString: 1 },
      true,
      null,
    ].map((written) => ({ written })),
  )('is none with anything in it that is not understood: $written', ({ written }) => {
    expect(readPlainSchema(written)).toBeUndefined();
  });
});

describe('the validator', () => {
  test('is asked about what does not fit a plain schema, and only then', () => {
    let asked = 0;
    const validation = makeValidation(() => () => ({
      compile: () => () => {
        asked += 1;
        return { ok: false, problems: ['n: must be number'] };
      },
    }));
    validation.add({ schemas: [['t', { properties: { n: { type: 'number' } } }]] });
    const given = { n: 1 };
    expect(validation.check('t', given)).toBe(given);
    expect(asked).toBe(0);
    expect(() => validation.check('t', { n: '1' })).toThrow('the input of t: n: must be number');
    expect(asked).toBe(1);
    // What it has to fit may change while the guest runs.
    validation.add({ schemas: [['t', { properties: { n: { type: 'string', minLength: 2 } } }]] });
    expect(() => validation.check('t', given)).toThrow('n: must be number');
  });
});
