import { type Fits, readPlainSchema } from './plain-schema.js';
import { CodedError } from './wire/failure.js';
import type { ConfigParams, SchemasParams, ValidatorParams } from './wire/methods.js';

/** Checks inputs against schemas of plugins. */
export interface Validation {
  add(params: SchemasParams): null;
  /** Sets the validator. `warmUp` evaluates it and compiles a first schema in advance. */
  accept(params: ValidatorParams): null;
  /** A copy of the input with the schema's defaults. Throws `INVALID_INPUT`. */
  check(tool: string, input: unknown): unknown;
  /** The same for the operator's configuration, with the plugin's own schema. */
  fit(params: ConfigParams): unknown;
}

/** The validator of one realm: its source, and after first use its compiler. */
export interface ValidatorSource {
  source: string;
  compile?: (schema: unknown) => Check;
}

type Check = (input: unknown) => Verdict;
type Verdict =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * A schema is hostile input to a code generator. So the generator and its code run in an empty
 * compartment, separate from the plugin's. An endless pattern is killed with its call. A schema is
 * compiled on first use, unless the input fits a plain schema.
 */
export function makeValidation(
  evaluateOwn: (code: string) => unknown,
  validator: ValidatorSource = { source: '' },
): Validation {
  const schemas = new Map<string, unknown>();
  const checks = new Map<string, Check>();
  const plain = new Map<string, Fits | undefined>();
  const compileSchema = (schema: unknown): Check => {
    validator.compile ??= readValidator(evaluateOwn(validator.source));
    return validator.compile(schema);
  };

  return {
    accept: (params) => {
      if (params.source !== '') validator.source = params.source;
      if (params.warmUp) compileSchema(COMMON)({ text: '' });
      return null;
    },
    add: ({ schemas: added }) => {
      for (const [tool, schema] of added) {
        schemas.set(tool, schema);
        checks.delete(tool);
        plain.set(tool, readPlainSchema(schema));
      }
      return null;
    },
    fit: ({ schema, config }) => {
      const verdict = compileSchema(schema)(config);
      if (verdict.ok) return verdict.value;
      throw new CodedError('INVALID_INPUT', problemsOf(verdict.problems));
    },
    check: (tool, input) => {
      if (plain.get(tool)?.(input) === true) return input;
      let check = checks.get(tool);
      if (check === undefined) {
        const schema = schemas.get(tool);
        if (schema === undefined) return input;
        try {
          check = compileSchema(schema);
        } catch (error) {
          throw new CodedError('INVALID_SCHEMA', `the schema of ${tool}: ${textOf(error)}`);
        }
        checks.set(tool, check);
      }
      const verdict = check(input);
      if (verdict.ok) return verdict.value;
      throw new CodedError(
        'INVALID_INPUT',
        `the input of ${tool}: ${problemsOf(verdict.problems)}`,
      );
    },
  };
}

/** Keywords that nearly every tool's schema uses. */
const COMMON = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'number' } },
  required: ['text'],
};

/** The validator is our own code: a function that returns `compile`. */
function readValidator(make: unknown): (schema: unknown) => Check {
  if (!isMaker(make)) throw new CodedError('INVALID_SCHEMA', 'the validator is not a function');
  return make().compile;
}

function isMaker(make: unknown): make is () => { compile: (schema: unknown) => Check } {
  return typeof make === 'function';
}

// Code compiled from a hostile schema may return any value, even a long list.
function problemsOf(problems: readonly unknown[]): string {
  return problems
    .slice(0, 20)
    .filter((problem) => typeof problem === 'string')
    .join('; ');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
