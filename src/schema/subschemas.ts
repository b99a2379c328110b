import type { Json, JsonObject } from '../../sandbox/wire/messages.js';

/** A schema inside a schema. */
export interface Subschema {
  /** From its parent, e.g. `/properties/city`. */
  readonly at: string;
  readonly schema: JsonObject;
  /** Whether it is applied to the same value as its parent, not to a part of that value. */
  readonly inPlace: boolean;
}

/**
 * The schemas directly inside a schema, by the keywords of all dialects together: a keyword that
 * one dialect does not know is then looked at in vain, never overlooked.
 */
export function subschemas(schema: JsonObject): readonly Subschema[] {
  const inside: Subschema[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (typeof value !== 'object' || value === null) continue;
    const isMap = MAPS.has(keyword);
    if (!isMap && !SCHEMAS.has(keyword)) continue;
    const inPlace = IN_PLACE.has(keyword);
    const add = (at: string, item: Json): void => {
      if (isObject(item)) inside.push({ at: `/${keyword}${at}`, schema: item, inPlace });
    };
    if (isMap && isObject(value)) {
      for (const [key, item] of Object.entries(value)) add(`/${key}`, item);
    } else if (!isMap && isList(value)) value.forEach((item, index) => add(`/${index}`, item));
    else if (!isMap) add('', value);
  }
  return inside;
}

/** A copy of the schema in which each schema directly inside it is what `change` makes of it. */
export function mapSubschemas(
  schema: JsonObject,
  change: (schema: JsonObject) => JsonObject,
): JsonObject {
  const changed = (value: Json): Json => (isObject(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, Json] => {
      if (MAPS.has(keyword) && isObject(value)) {
        const entries = Object.entries(value).map(([key, item]) => [key, changed(item)] as const);
        return [keyword, Object.fromEntries(entries)];
      }
      if (!SCHEMAS.has(keyword)) return [keyword, value];
      return [keyword, isList(value) ? value.map(changed) : changed(value)];
    }),
  );
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** Keywords whose value has schemas under names that the author chose. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

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
