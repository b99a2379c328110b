import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Json, JsonObject } from '../../../sandbox/wire/messages.js';
import { type SchemaDraft, isList, mapSubschemas, readDraft } from '../draft.js';
import { findSchemaMistakes } from '../mistakes.js';
import { makeAjv } from './ajv.js';

/**
 * Checks an untrusted input against an untrusted schema. The guest process evaluates this file in a
 * compartment without endowments, because ajv turns a schema into code: that code then has no more
 * power than the plugin that wrote the schema. For the same reason the guest copies the answer
 * before it uses it, and the host bounds the time of a check.
 *
 * The validator fills defaults into the input in place. The input came over the wire within the
 * host's caps, so no object in it has an own `__proto__`.
 */
export type Validator = (input: unknown) => ValidatorAnswer;

export type ValidatorAnswer =
  /** `value` is the input, with the schema's defaults filled in. */
  | { readonly ok: true; readonly value: unknown }
  /** At least one problem, as `path: what is wrong`, for the model that wrote the input. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Compiles a schema that has passed `checkSchema`. If it does not compile, throws an error with a
 * message for its author, e.g. `#/type "strng" is not a type. Did you mean "string"?`
 */
export function compile(schema: JsonObject): Validator {
  const draft = readDraft(schema['$schema']);
  if (draft === undefined) throw new Error('the draft of the schema is not supported');
  const validate = compileWith(ajvFor(draft), modernise(schema));
  const needsBareInput = hasInheritedName(schema);
  return (input) => {
    try {
      const value = needsBareInput ? withoutPrototypes(input) : input;
      if (validate(value))
        return { ok: true, value: needsBareInput ? withPrototypes(value) : value };
    } catch (error) {
      // A recursive schema descends with the input, which may be deeper than the stack.
      if (error instanceof RangeError) return TOO_DEEP;
      throw error;
    }
    return { ok: false, problems: describeErrors(validate.errors ?? []) };
  };
}

const TOO_DEEP: ValidatorAnswer = { ok: false, problems: ['input: is nested too deeply'] };

const ajvs = new Map<SchemaDraft, ReturnType<typeof makeAjv>>();

function ajvFor(draft: SchemaDraft): ReturnType<typeof makeAjv> {
  const ajv = ajvs.get(draft) ?? makeAjv(draft);
  ajvs.set(draft, ajv);
  return ajv;
}

function compileWith(ajv: ReturnType<typeof makeAjv>, schema: JsonObject): ValidateFunction {
  try {
    const validate = ajv.compile(schema);
    // It would return a promise for every input.
    if ('$async' in validate) throw new Error('an asynchronous schema is not allowed');
    return validate;
  } catch (error) {
    // The compiler's own words are about its types.
    const mistake = findSchemaMistakes(schema).find(({ fatal }) => fatal);
    throw mistake === undefined ? error : new Error(`${mistake.place} ${mistake.message}`);
  } finally {
    // The next schema may use the same `$id`.
    ajv.removeSchema();
  }
}

/**
 * Translates older keywords that published schemas still use and that ajv throws on:
 * `exclusiveMinimum: true` (draft-04), `required: true` on a property (draft-03), and OpenAPI's
 * `nullable` without a `type`.
 */
export function modernise(schema: JsonObject): JsonObject {
  const inner = mapSubschemas(schema, modernise);
  return Object.fromEntries(
    Object.entries(inner).flatMap(([keyword, value]) => translate(inner, keyword, value)),
  );
}

function translate(schema: JsonObject, keyword: string, value: Json): readonly [string, Json][] {
  const untypedNull = schema['nullable'] === true && schema['type'] === undefined;
  switch (keyword) {
    case 'exclusiveMinimum':
      return exclusive(keyword, value, schema['minimum']);
    case 'exclusiveMaximum':
      return exclusive(keyword, value, schema['maximum']);
    case 'required':
      return typeof value === 'boolean' ? [] : [[keyword, value]];
    case 'nullable':
      return schema['type'] === undefined ? [] : [[keyword, value]];
    case 'anyOf':
    case 'oneOf':
      return [[keyword, untypedNull && isList(value) ? [...value, { type: 'null' }] : value]];
    default:
      return [[keyword, value]];
  }
}

function exclusive(keyword: string, value: Json, bound: Json | undefined): [string, Json][] {
  if (typeof value !== 'boolean') return [[keyword, value]];
  return value && typeof bound === 'number' ? [[keyword, bound]] : [];
}

/**
 * Whether a name in a schema is also a property of `Object.prototype`. ajv's code skips a default
 * for such a name unless the input has no prototype.
 */
export function hasInheritedName(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  if (Array.isArray(schema)) return schema.some(hasInheritedName);
  return Object.entries(schema).some(
    ([key, value]) => key in Object.prototype || hasInheritedName(value),
  );
}

/** A copy whose objects have no prototype. The wire's caps bound the recursion. */
export function withoutPrototypes(value: unknown): unknown {
  return copyWith(value, () => Object.create(null));
}

/** A copy of ordinary objects, without keys named `__proto__`, which would set a prototype. */
export function withPrototypes(value: unknown): unknown {
  return copyWith(value, () => ({}));
}

function copyWith(value: unknown, make: () => Record<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((member) => copyWith(member, make));
  const copy = make();
  for (const [key, member] of Object.entries(value)) {
    if (key !== '__proto__') copy[key] = copyWith(member, make);
  }
  return copy;
}

/** Problems that are reported to the model, and characters of each. */
const MAX_PROBLEMS = 10;
const MAX_CHARACTERS = 300;

/** Describes each problem of an input, as `path: what is wrong`. */
export function describeErrors(errors: readonly ErrorObject[]): string[] {
  const problems = new Set(errors.slice(0, MAX_PROBLEMS).map(describe));
  return problems.size === 0 ? ['input: does not fit the schema'] : [...problems];
}

function describe(error: ErrorObject): string {
  const path = error.instancePath.slice(1).replaceAll('/', '.') || 'input';
  const text = `${path}: ${error.message ?? 'is not valid'}${detailOf(error)}`;
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** Details that ajv's message lacks. */
function detailOf({ keyword, params }: ErrorObject): string {
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`;
  if (keyword === 'const') return ` ${JSON.stringify(params['allowedValue'])}`;
  const property: unknown = params['additionalProperty'] ?? params['unevaluatedProperty'];
  return property === undefined ? '' : `: ${JSON.stringify(property)}`;
}
