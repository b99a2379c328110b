import type { ValidateFunction } from 'ajv';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { readDialect, type SchemaDialect } from '../dialect.js';
import { makeAjv } from './ajv.js';
import { namesWhatIsInherited, withoutPrototypes, withPrototypes } from './bare.js';
import { modernise } from './modernise.js';
import { describeErrors } from './problems.js';

/**
 * Checks a stranger's input against a stranger's schema. This is what the guest process evaluates in
 * a compartment without endowments, because ajv turns a schema into code: whatever a schema makes of
 * it has then no more power than the plugin that wrote the schema. For the same reason the guest
 * believes nothing of an answer but its own copy of it, and the host bounds the time it takes.
 *
 * The input is the caller's to give away: defaults are filled in where it is. It came off the wire
 * within the host's caps, so no object in it has a `__proto__` of its own.
 */
export type Validator = (input: unknown) => ValidatorAnswer;

export type ValidatorAnswer =
  /** `value` is the input, with the schema's defaults filled in. */
  | { readonly ok: true; readonly value: unknown }
  /** At least one problem, as `path: what is wrong`, to be shown to the model that made the input. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Compiles a schema that has passed `checkSchema`. Throws an error with a message for its author where
 * it cannot be compiled, e.g. `type must be JSONType or JSONType[]: strng`.
 */
export function compile(schema: JsonObject): Validator {
  const dialect = readDialect(schema['$schema']);
  if (dialect === undefined) throw new Error('the dialect of the schema is not known');
  const validate = compileWith(ajvFor(dialect), modernise(schema));
  const bare = namesWhatIsInherited(schema);
  return (input) => {
    try {
      const value = bare ? withoutPrototypes(input) : input;
      if (validate(value)) return { ok: true, value: bare ? withPrototypes(value) : value };
    } catch (error) {
      // A schema that refers to itself follows the input down, further than the stack goes.
      if (error instanceof RangeError) return TOO_DEEP;
      throw error;
    }
    return { ok: false, problems: describeErrors(validate.errors ?? []) };
  };
}

const TOO_DEEP: ValidatorAnswer = { ok: false, problems: ['input: is nested too deeply'] };

const ajvs = new Map<SchemaDialect, ReturnType<typeof makeAjv>>();

function ajvFor(dialect: SchemaDialect): ReturnType<typeof makeAjv> {
  const ajv = ajvs.get(dialect) ?? makeAjv(dialect);
  ajvs.set(dialect, ajv);
  return ajv;
}

function compileWith(ajv: ReturnType<typeof makeAjv>, schema: JsonObject): ValidateFunction {
  try {
    const validate = ajv.compile(schema);
    // It would answer a promise, whatever the input.
    if ('$async' in validate) throw new Error('an asynchronous schema is not run here');
    return validate;
  } finally {
    // The next schema may use the same `$id`.
    ajv.removeSchema();
  }
}
