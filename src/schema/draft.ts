import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** The versions of JSON Schema that tools may be written in. */
export type SchemaDraft = '2020-12' | '2019-09' | 'draft-07';

/** The draft of a schema without `$schema`. */
const DEFAULT_DRAFT: SchemaDraft = '2020-12';

/**
 * The draft that `$schema` names, or `undefined` if it is unknown. Draft-06 and draft-04 count as
 * draft-07: the validator translates their older keywords.
 */
export function readDraft($schema: unknown): SchemaDraft | undefined {
  if ($schema === undefined) return DEFAULT_DRAFT;
  if (typeof $schema !== 'string') return undefined;
  return DRAFTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

const DRAFTS: ReadonlyMap<string, SchemaDraft> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-07'],
  ['json-schema.org/draft-04/schema', 'draft-07'],
]);

/** A schema inside a schema. */
interface Subschema {
  /** From its parent, e.g. `/properties/city`. */
  readonly at: string;
  readonly schema: JsonObject;
  /** Whether it is applied to the same value as its parent, not to a part of that value. */
  readonly inPlace: boolean;
}

/**
 * The schemas directly inside a schema, by the keywords of all drafts together. A schema under a
 * keyword that the draft does not have is checked too, which is harmless.
 */
export function subschemas(schema: JsonObject): readonly Subschema[] {
  const inside: Subschema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== 'object' || value === null) continue;
    const isMap = MAPS.has(keyword);
    if (!isMap && !SCHEMAS.has(keyword)) continue;
    const inPlace = IN_PLACE.has(keyword);
    const add = (at: string, item: Json): void => {
      if (isRecord(item)) inside.push({ at: `/${keyword}${at}`, schema: item, inPlace });
    };
    if (isMap && isRecord(value)) {
      for (const [key, item] of Object.entries(value)) add(`/${key}`, item);
    } else if (!isMap && isList(value)) value.forEach((item, index) => add(`/${index}`, item));
    else if (!isMap) add('', value);
  }
  return inside;
}

/** A copy of the schema in which `change` replaces each schema directly inside it. */
export function mapSubschemas(
  schema: JsonObject,
  change: (schema: JsonObject) => JsonObject,
): JsonObject {
  const changed = (value: Json): Json => (isRecord(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, Json] => {
      if (MAPS.has(keyword) && isRecord(value)) {
        const entries = Object.entries(value).map(([key, item]) => [key, changed(item)] as const);
        return [keyword, Object.fromEntries(entries)];
      }
      if (!SCHEMAS.has(keyword)) return [keyword, value];
      return [keyword, isList(value) ? value.map(changed) : changed(value)];
    }),
  );
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** Keywords whose value is a schema or a list of schemas. */
const SCHEMAS: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'contentSchema',
]);

/** Keywords whose value maps names chosen by the author to schemas. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

/** Keywords whose schemas apply to the same value as their parent. */
const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
]);
