import { isObject } from '../../schema/shape.js';

/**
 * The parameters of a tool with their types as JSON Schema names them. The original shows models
 * whatever an author wrote, and authors write the names of other languages and services (`STRING`,
 * `int`, `any`): what is meant by them is plain, and a tool that would be refused for it is of no
 * use. Everything else stays as it is.
 */
export function mendTypes(parameters: Readonly<Record<string, unknown>>): {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Whether anything had to be read otherwise than it was written. */
  readonly mended: boolean;
} {
  let mended = false;
  const typeOf = (type: unknown): unknown => {
    if (typeof type !== 'string' || STANDARD.has(type)) return type;
    const meant = MEANT.get(type.toLowerCase());
    if (meant === undefined) return type;
    mended = true;
    return meant;
  };
  const mend = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((item) => mend(item, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]): [string, unknown][] => {
        if (DATA.has(key)) return [[key, part]];
        if (key !== 'type' || isObject(part)) return [[key, mend(part, depth + 1)]];
        const type = Array.isArray(part) ? part.map(typeOf) : typeOf(part);
        // No type is any type.
        return type === ANY || (Array.isArray(type) && type.includes(ANY)) ? [] : [[key, type]];
      }),
    );
  };
  const schema = mend(parameters, 0);
  return { schema: isObject(schema) ? schema : parameters, mended };
}

/** Deeper ones are refused when the schema is checked. */
const MAX_DEPTH = 64;

const ANY = 'any';

/** Where values stand, and no schemas. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples']);

const STANDARD: ReadonlySet<string> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
]);

const MEANT: ReadonlyMap<string, string> = new Map([
  ...[...STANDARD].map((name) => [name, name] as const),
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['list', 'array'],
  ['any', ANY],
]);
