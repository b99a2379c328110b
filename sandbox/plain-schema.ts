/** Whether a value certainly fits a schema. If not, the validator decides. */
export type Fits = (value: unknown) => boolean;

/**
 * Compiles a simple schema in microseconds, so that the first call does not wait for the validator.
 * Returns `undefined` for a schema with a default, an unknown keyword, or an unknown value of a
 * keyword.
 */
export function readPlainSchema(schema: unknown): Fits | undefined {
  if (!isObject(schema)) return undefined;
  const checks: Fits[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (SAYS_NOTHING.has(keyword)) continue;
    const check = KEYWORDS.get(keyword)?.(value, schema);
    if (check === undefined) return undefined;
    checks.push(check);
  }
  return (value) => checks.every((check) => check(value));
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(['$comment', 'title', 'description', 'examples']);

const USUAL_DIALECTS: ReadonlySet<unknown> = new Set([
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2020-12/schema',
]);

type ReadKeyword = (value: unknown, schema: PlainObject) => Fits | undefined;

const KEYWORDS: ReadonlyMap<string, ReadKeyword> = new Map<string, ReadKeyword>([
  // The drafts that nearly all tools name, of those that the validator supports.
  ['$schema', (dialect) => (USUAL_DIALECTS.has(dialect) ? () => true : undefined)],
  ['type', readTypes],
  ['enum', readEnum],
  [
    'minimum',
    (least) => (isNumber(least) ? (value) => !isNumber(value) || value >= least : undefined),
  ],
  [
    'maximum',
    (most) => (isNumber(most) ? (value) => !isNumber(value) || value <= most : undefined),
  ],
  ['properties', readProperties],
  ['required', readRequired],
  ['additionalProperties', readAdditional],
  ['items', readItems],
]);

const TYPES: ReadonlyMap<unknown, Fits> = new Map<unknown, Fits>([
  ['object', isObject],
  ['array', Array.isArray],
  ['string', (value) => typeof value === 'string'],
  ['number', Number.isFinite],
  ['integer', Number.isInteger],
  ['boolean', (value) => typeof value === 'boolean'],
  ['null', (value) => value === null],
]);

function readTypes(value: unknown): Fits | undefined {
  if (!Array.isArray(value)) return TYPES.get(value);
  const fits = value.map((name) => TYPES.get(name));
  if (fits.length === 0 || fits.includes(undefined)) return undefined;
  return (part) => fits.some((fit) => fit?.(part));
}

function readEnum(value: unknown): Fits | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isScalar)) return undefined;
  const members = new Set<unknown>(value);
  return (part) => members.has(part);
}

function readProperties(value: unknown): Fits | undefined {
  if (!isObject(value)) return undefined;
  const fits = Object.entries(value).map(
    ([name, schema]) => [name, readPlainSchema(schema)] as const,
  );
  if (fits.some(([, fit]) => fit === undefined)) return undefined;
  return (part) =>
    !isObject(part) ||
    fits.every(([name, fit]) => !Object.hasOwn(part, name) || fit?.(part[name]) === true);
}

function readRequired(value: unknown): Fits | undefined {
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) return undefined;
  const names: readonly string[] = value;
  return (part) => !isObject(part) || names.every((name) => Object.hasOwn(part, name));
}

function readAdditional(value: unknown, { properties = {} }: PlainObject): Fits | undefined {
  if (typeof value !== 'boolean' || !isObject(properties)) return undefined;
  return (part) =>
    value || !isObject(part) || Object.keys(part).every((name) => Object.hasOwn(properties, name));
}

function readItems(value: unknown): Fits | undefined {
  const fit = readPlainSchema(value);
  return fit && ((part) => !Array.isArray(part) || part.every((item) => fit(item)));
}

type PlainObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object';
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
