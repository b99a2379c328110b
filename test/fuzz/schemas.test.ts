import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isBulkheadError } from '../../src/errors.js';
import { checkSchema, type JsonSchemaDocument } from '../../src/schema/check.js';
import type * as Entry from '../../src/schema/validator/entry.js';
import { runs } from '../property-runs.js';
import { CANARY, injections, schemaLike } from './json.js';

// The bundle itself, as guests evaluate it; here with all that a realm has, for code to find.
const bundle = readFileSync(new URL('../../dist/validator.js', import.meta.url), 'utf8');
const { compile }: typeof Entry = runInThisContext(bundle)();

afterEach(() => {
  Reflect.deleteProperty(globalThis, CANARY);
});

function check(schema: unknown): JsonSchemaDocument | undefined {
  try {
    return checkSchema(schema, 't');
  } catch (error) {
    expect(isBulkheadError(error, 'INVALID_SCHEMA')).toBe(true);
    return undefined;
  }
}

function compiled(schema: JsonSchemaDocument): Entry.Validator | undefined {
  try {
    return compile(schema.schema);
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

describe('whatever JSON a stranger calls a schema', () => {
  it('is a document, plain and frozen, or refused by its code', () => {
    fc.assert(
      fc.property(fc.oneof(schemaLike(), fc.jsonValue()), (json) => {
        const document = check(json);
        if (document === undefined) return;
        expect(Object.isFrozen(document.schema)).toBe(true);
        // By its text: a minus before zero does not cross.
        const text = JSON.stringify(document.schema);
        expect(JSON.stringify(JSON.parse(text))).toBe(text);
        expect(document.schema).toEqual(withoutProto(json));
      }),
      { numRuns: runs(2000), examples: [[{ '': [-0] }]] },
    );
  });

  it('no text in it becomes code, neither when it is compiled nor when it is used', () => {
    let validators = 0;
    const inputs = fc.array(fc.oneof(schemaLike(), fc.jsonValue(), injections), { maxLength: 3 });
    fc.assert(
      fc.property(schemaLike(), inputs, (schema, values) => {
        const document = check(schema);
        const validate = document === undefined ? undefined : compiled(document);
        if (validate === undefined) return;
        validators += 1;
        for (const value of values) {
          const answer = validate(structuredClone(value));
          expect(answer.ok || answer.problems.every((text) => typeof text === 'string')).toBe(true);
        }
        expect(CANARY in globalThis).toBe(false);
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      {
        numRuns: runs(1000),
        examples: [[{ enum: [{}] }, [{ toString: false }, { valueOf: 1 }]]],
      },
    );
    expect(validators).toBeGreaterThan(50);
  });
});

/** What the document has to say: all of it, but own keys of that name. */
function withoutProto(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(withoutProto);
  if (typeof json !== 'object' || json === null) return json;
  const entries = Object.entries(json).filter(([key]) => key !== '__proto__');
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutProto(value)]));
}
