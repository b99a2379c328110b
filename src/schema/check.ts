import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import { copyJson, type Refuse } from './copy.js';
import { readDialect, type SchemaDialect } from './dialect.js';
import { SCHEMA_LIMITS, type SchemaLimits } from './limits.js';
import { findLoop } from './loops.js';
import { findSchemas, type FoundSchema } from './references.js';
import { isObject } from './subschemas.js';

/**
 * A JSON Schema that may be handed on: to a guest that compiles it, to a model that reads it. Only
 * `checkSchema` makes one.
 */
export type JsonSchemaDocument = CheckedSchema;

/**
 * Checks a stranger's JSON Schema without running it, and answers a frozen copy. Throws
 * `INVALID_SCHEMA` for what is not plain JSON within the limits, for a dialect that is not known, for
 * references that lead out of the schema, to nothing or in a circle, and for `$async` and `$data`,
 * which are ajv's own and would turn a schema into more than a description.
 *
 * What it does not find is found by the validator, when it compiles the schema inside the guest.
 */
export function checkSchema(
  schema: unknown,
  tool: string,
  limits: SchemaLimits = SCHEMA_LIMITS,
): JsonSchemaDocument {
  const refuse: Refuse = (place, why) =>
    new BulkheadError(
      'INVALID_SCHEMA',
      `The parameters of ${tool} cannot be used: ${place.slice(0, 200)} ${why}.`,
      { tool },
    );
  const copy = copyJson(schema, limits, refuse);
  if (!isObject(copy)) throw refuse('#', 'is not an object');
  const dialect = checkDialect(copy, refuse);
  const schemas = findSchemas(copy, refuse);
  for (const found of schemas) checkKeywords(found, dialect, limits, refuse);
  const loop = findLoop(schemas);
  if (loop !== undefined) throw refuse(loop, 'refers to itself without end');
  return new CheckedSchema(copy, dialect);
}

class CheckedSchema {
  // Makes the type nominal: no literal has a private member.
  readonly #schema: JsonObject;
  readonly dialect: SchemaDialect;

  constructor(schema: JsonObject, dialect: SchemaDialect) {
    this.#schema = freeze(schema);
    this.dialect = dialect;
  }

  get schema(): JsonObject {
    return this.#schema;
  }
}

function freeze<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

function checkDialect(schema: JsonObject, refuse: Refuse): SchemaDialect {
  const dialect = readDialect(schema['$schema']);
  if (dialect !== undefined) return dialect;
  throw refuse(
    '#/$schema',
    `is ${JSON.stringify(schema['$schema']).slice(0, 200)}, which is not known here. ` +
      'Write the schema in 2020-12, 2019-09 or draft-07',
  );
}

function checkKeywords(
  { schema, place }: FoundSchema,
  dialect: SchemaDialect,
  limits: SchemaLimits,
  refuse: Refuse,
): void {
  const inner = schema['$schema'];
  if (inner !== undefined && readDialect(inner) !== dialect) {
    throw refuse(`${place}/$schema`, 'names another dialect than the whole schema');
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$async' || keyword === '$data') {
      throw refuse(`${place}/${keyword}`, 'is not a keyword that is run here');
    }
    if (isObject(value) && !NAMED.has(keyword) && Object.hasOwn(value, '$data')) {
      throw refuse(`${place}/${keyword}`, 'takes its value from "$data", which is not run here');
    }
  }
  for (const pattern of patternsOf(schema)) {
    if (pattern.length > limits.maxPatternCharacters) {
      throw refuse(place, `has a pattern of over ${limits.maxPatternCharacters} characters`);
    }
  }
}

/** Keywords under which an author's own names or values stand, of which `$data` may be one. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  'dependentRequired',
  '$defs',
  'definitions',
  'const',
  'default',
]);

function patternsOf(schema: JsonObject): readonly string[] {
  const { pattern, patternProperties } = schema;
  const own = typeof pattern === 'string' ? [pattern] : [];
  return isObject(patternProperties) ? [...own, ...Object.keys(patternProperties)] : own;
}
