/** The versions of JSON Schema that tools may be written in. */
export type SchemaDialect = '2020-12' | '2019-09' | 'draft-07';

/** What a schema without `$schema` is taken for. */
export const DEFAULT_DIALECT: SchemaDialect = '2020-12';

/**
 * The dialect that a `$schema` names, or `undefined` for one that is not known here. Draft-06
 * and draft-04 are read as draft-07: what they say in other words, the validator translates.
 */
export function readDialect($schema: unknown): SchemaDialect | undefined {
  if ($schema === undefined) return DEFAULT_DIALECT;
  if (typeof $schema !== 'string') return undefined;
  return DIALECTS.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

const DIALECTS: ReadonlyMap<string, SchemaDialect> = new Map([
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft-06/schema', 'draft-07'],
  ['json-schema.org/draft-04/schema', 'draft-07'],
]);
