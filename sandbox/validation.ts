import { type Fits, readPlainSchema } from './plain-schema.js';
import { CodedError } from './wire/failure.js';
import type { ConfigParams, SchemasParams, ValidatorParams } from './wire/methods.js';

/** Checks inputs against schemas that strangers wrote. */
export interface Validation {
  add(params: SchemasParams): null;
  /** Takes the validator; `ahead` evaluates it and compiles a first schema before either is needed. */
  accept(params: ValidatorParams): null;
  /** The input as it is to be used (a copy with the schema's defaults). Throws `INVALID_INPUT`. */
  check(tool: string, input: unknown): unknown;
  /** The same for what the operator configured, by a schema of the plugin's own. */
  fit(params: ConfigParams): unknown;
}

/** The validator of one realm: its text, and what came of it when it was first needed. */
export interface ValidatorSource {
  source: string;
  compile?: (schema: unknown) => Check;
}

type Check = (input: unknown) => Verdict;
type Verdict =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * A schema is hostile input to a code generator, so the generator and what it makes run apart, in
 * a compartment that holds nothing, beside the plugin's: neither can reach the other, and a pattern
 * that never ends is killed with the call that it belongs to. A schema is compiled when it is first
 * needed: an input that fits a plain one is seen to without.
 */
export function makeValidation(
  evaluateOwn: (code: string) => unknown,
  kept: ValidatorSource = { source: '' },
): Validation {
  const schemas = new Map<string, unknown>();
  const checks = new Map<string, Check>();
  const plain = new Map<string, Fits | undefined>();
  const compileSchema = (schema: unknown): Check => {
    kept.compile ??= readValidator(evaluateOwn(kept.source));
    return kept.compile(schema);
  };

  return {
    accept: (params) => {
      if (params.source !== '') kept.source = params.source;
      if (params.ahead) compileSchema(COMMON)({ text: '' });
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

/** The keywords that nearly every tool's schema uses. */
const COMMON = {
  type: 'object',
  properties: { text: { type: 'string' }, count: { type: 'number' } },
  required: ['text'],
};

/** The validator is ours: a function that, called once, gives `compile`. */
function readValidator(make: unknown): (schema: unknown) => Check {
  if (!isMaker(make)) throw new CodedError('INVALID_SCHEMA', 'the validator is no function');
  return make().compile;
}

function isMaker(make: unknown): make is () => { compile: (schema: unknown) => Check } {
  return typeof make === 'function';
}

// What compiled from a hostile schema is not believed to be a list of texts, or a short one.
function problemsOf(problems: readonly unknown[]): string {
  return problems
    .slice(0, 20)
    .filter((problem) => typeof problem === 'string')
    .join('; ');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
