/** What a stranger's JSON Schema may be, before any of our code spends time on it. */
export interface SchemaLimits {
  /** Of its JSON text. A schema is compiled to code about ten times its size. */
  readonly maxCharacters: number;
  /** Nesting of arrays and objects. Stops recursion in everybody who walks it. */
  readonly maxDepth: number;
  /** Objects in it, each of which may be a schema: time to compile grows with them. */
  readonly maxObjects: number;
  /** Of one regular expression. The longer, the better hidden is its exponential part. */
  readonly maxPatternCharacters: number;
}

export const SCHEMA_LIMITS: SchemaLimits = {
  maxCharacters: 64 * 1024,
  maxDepth: 32,
  maxObjects: 1_000,
  maxPatternCharacters: 2_000,
};
