import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import { type SchemaDraft, readDraft } from './draft.js';
import { type FoundSchema, findLoop, findSchemas, type Refuse } from './references.js';

/** A checked JSON Schema: safe to send to a guest or a model. Only `checkSchema` creates one. */
export type JsonSchemaDocument = CheckedSchema;

/**
 * Checks an untrusted JSON Schema without running it, and returns a frozen copy. Throws
 * `INVALID_SCHEMA` if the value is not plain JSON within the limits or its draft is unknown. Also
 * throws if a reference is external, dangling or circular, and for ajv's own `$async` and `$data`.
 *
 * The validator finds all other errors when it compiles the schema inside the guest.
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
  if (!isRecord(copy)) throw refuse('#', 'is not an object');
  const draft = checkDraft(copy, refuse);
  const schemas = findSchemas(copy, refuse);
  for (const found of schemas) checkKeywords(found, draft, limits, refuse);
  const loop = findLoop(schemas);
  // guard: schema-reference-loop-refused
  if (loop !== undefined) throw refuse(loop, 'refers to itself without end');
  return new CheckedSchema(copy, draft);
}

class CheckedSchema {
  // Makes the type nominal: no literal has a private member.
  readonly #schema: JsonObject;
  readonly draft: SchemaDraft;

  constructor(schema: JsonObject, draft: SchemaDraft) {
    this.#schema = freeze(schema);
    this.draft = draft;
  }

  get schema(): JsonObject {
    return this.#schema;
  }
}

function freeze<Value extends Json>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

function checkDraft(schema: JsonObject, refuse: Refuse): SchemaDraft {
  const draft = readDraft(schema['$schema']);
  if (draft !== undefined) return draft;
  throw refuse(
    '#/$schema',
    `is ${JSON.stringify(schema['$schema']).slice(0, 200)}, which is not a supported draft. ` +
      'Write the schema in 2020-12, 2019-09 or draft-07',
  );
}

function checkKeywords(
  { schema, place }: FoundSchema,
  draft: SchemaDraft,
  limits: SchemaLimits,
  refuse: Refuse,
): void {
  const inner = schema['$schema'];
  if (inner !== undefined && readDraft(inner) !== draft) {
    throw refuse(`${place}/$schema`, 'names another draft than the root schema');
  }
  for (const [keyword, value] of Object.entries(schema)) {
    // guard: schema-extension-keywords-refused
    if (keyword === '$async' || keyword === '$data') {
      throw refuse(`${place}/${keyword}`, 'is not an allowed keyword');
    }
    if (isRecord(value) && !NAMED.has(keyword) && Object.hasOwn(value, '$data')) {
      throw refuse(`${place}/${keyword}`, 'takes its value from "$data", which is not allowed');
    }
  }
  for (const pattern of patternsOf(schema)) {
    // guard: schema-pattern-length-cap
    if (pattern.length > limits.maxPatternCharacters) {
      throw refuse(place, `has a pattern longer than ${limits.maxPatternCharacters} characters`);
    }
  }
}

/** Keywords that contain the author's own names or values: `$data` is allowed there. */
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
  return isRecord(patternProperties) ? [...own, ...Object.keys(patternProperties)] : own;
}

/**
 * Copies plain JSON within the limits. Only the copy is used later, because an untrusted object may
 * return different values on each read. Drops own keys named `__proto__`: generated code would set
 * a prototype with them.
 */
function copyJson(value: unknown, limits: SchemaLimits, refuse: Refuse): Json {
  let characters = 0;
  let objects = 0;

  const spend = (text: string): void => {
    characters += text.length + 1;
    // guard: schema-length-cap
    if (characters > limits.maxCharacters) {
      throw refuse('#', `is longer than ${limits.maxCharacters} characters`);
    }
  };

  const copy = (part: unknown, place: string, depth: number): Json => {
    if (typeof part === 'string' || typeof part === 'boolean' || part === null) {
      spend(JSON.stringify(part));
      return part;
    }
    if (typeof part === 'number' && Number.isFinite(part)) {
      spend(String(part));
      return part;
    }
    if (typeof part !== 'object') throw refuse(place, 'is not JSON');
    // guard: schema-depth-cap
    if (depth >= limits.maxDepth)
      throw refuse(place, `is nested deeper than ${limits.maxDepth} levels`);
    spend('{');
    if (Array.isArray(part)) {
      return Array.from(part, (item, index) => copy(item, `${place}/${index}`, depth + 1));
    }
    if (!isPlain(part)) throw refuse(place, 'is not JSON');
    objects += 1;
    if (objects > limits.maxObjects) {
      throw refuse('#', `has more than ${limits.maxObjects} objects`);
    }
    const entries: [string, Json][] = [];
    for (const [key, item] of Object.entries(part)) {
      spend(JSON.stringify(key));
      // guard: schema-proto-dropped
      if (key !== '__proto__') entries.push([key, copy(item, `${place}/${key}`, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };

  return copy(value, '#', 0);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Caps on an untrusted JSON Schema. */
interface SchemaLimits {
  /** Characters of its JSON text. The compiled code is about ten times as large. */
  readonly maxCharacters: number;
  /** Levels of nested arrays and objects. Bounds the recursion of every walk. */
  readonly maxDepth: number;
  /** Objects in it. Each may be a schema, so compile time grows with their number. */
  readonly maxObjects: number;
  /** Characters of one regular expression. Long ones can hide exponential backtracking. */
  readonly maxPatternCharacters: number;
}

export const SCHEMA_LIMITS: SchemaLimits = {
  maxCharacters: 64 * 1024,
  maxDepth: 32,
  maxObjects: 1_000,
  maxPatternCharacters: 2_000,
};
