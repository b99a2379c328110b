import { isRecord } from '../../sandbox/wire/json.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import { canonicalJson } from '../canonical.js';

/**
 * Checks an input against the pinned JSON Schema of a remote tool. Returns the first violation as `path: what
 * is wrong`; `undefined` if there is none. An input that is not an object is always a violation.
 *
 * The server chooses the schema, so it is interpreted and never compiled. Keywords whose cost a server could
 * choose (`pattern`, `format`, `$ref`, `unevaluated…`) are left to the server, which checks them itself.
 */
export function violationOf(schema: JsonObject, input: unknown): string | undefined {
  // guard: remote-input-is-object
  if (!isRecord(input)) return `the input: must be an object, not ${typeOf(input)}`;
  return check(schema, input, 'the input', { left: MAX_STEPS });
}

/** Stops a schema that multiplies its own cost, such as nested `anyOf`. Past it, the server checks. */
const MAX_STEPS = 20_000;

interface Budget {
  left: number;
}

function check(schema: unknown, value: unknown, at: string, budget: Budget): string | undefined {
  if (schema === false) return `${at}: is not allowed`;
  if (!isRecord(schema)) return undefined;
  budget.left -= 1;
  if (budget.left < 0) return undefined;
  return (
    checkType(schema, value, at) ??
    checkValue(schema, value, at) ??
    checkNumber(schema, value, at) ??
    checkText(schema, value, at) ??
    checkList(schema, value, at, budget) ??
    checkObject(schema, value, at, budget) ??
    checkCombined(schema, value, at, budget)
  );
}

type Keywords = Readonly<Record<string, unknown>>;

function checkType({ type }: Keywords, value: unknown, at: string): string | undefined {
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : [];
  if (types.length === 0) return undefined;
  const own = typeOf(value);
  const fits = types.some(
    (one) => one === own || (one === 'integer' && own === 'number' && Number.isInteger(value)),
  );
  return fits ? undefined : `${at}: must be ${types.map(String).join(' or ')}, not ${own}`;
}

function checkValue(schema: Keywords, value: unknown, at: string): string | undefined {
  const text = canonicalJson(value);
  const values: unknown = schema['enum'];
  if (Array.isArray(values) && !values.some((one) => canonicalJson(one) === text)) {
    return `${at}: is not one of the allowed values`;
  }
  if ('const' in schema && canonicalJson(schema['const']) !== text) {
    return `${at}: is not the required value`;
  }
  return undefined;
}

function checkNumber(schema: Keywords, value: unknown, at: string): string | undefined {
  if (typeof value !== 'number') return undefined;
  const bounds = [
    ['minimum', (bound: number) => value >= bound],
    ['maximum', (bound: number) => value <= bound],
    ['exclusiveMinimum', (bound: number) => value > bound],
    ['exclusiveMaximum', (bound: number) => value < bound],
  ] as const;
  return outside(schema, bounds, at);
}

function checkText(schema: Keywords, value: unknown, at: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  // JSON Schema counts code points.
  const size = Array.from(value).length;
  const bounds = [
    ['minLength', (bound: number) => size >= bound],
    ['maxLength', (bound: number) => size <= bound],
  ] as const;
  return outside(schema, bounds, at);
}

function checkList(
  schema: Keywords,
  value: unknown,
  at: string,
  budget: Budget,
): string | undefined {
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  const bounds = [
    ['minItems', (bound: number) => list.length >= bound],
    ['maxItems', (bound: number) => list.length <= bound],
  ] as const;
  const { items, prefixItems } = schema;
  const firsts: readonly unknown[] = Array.isArray(prefixItems)
    ? prefixItems
    : Array.isArray(items)
      ? items
      : [];
  const rest = Array.isArray(items) ? schema['additionalItems'] : items;
  return (
    outside(schema, bounds, at) ??
    first(list, (item, index) =>
      check(index < firsts.length ? firsts[index] : rest, item, `${at}[${index}]`, budget),
    )
  );
}

function checkObject(
  schema: Keywords,
  value: unknown,
  at: string,
  budget: Budget,
): string | undefined {
  if (!isRecord(value)) return undefined;
  const { required, properties, additionalProperties, patternProperties } = schema;
  const missing = Array.isArray(required)
    ? required.find((key) => typeof key === 'string' && !Object.hasOwn(value, key))
    : undefined;
  if (missing !== undefined) return `${at}: needs ${JSON.stringify(missing)}`;
  const keys = Object.keys(value);
  const bounds = [
    ['minProperties', (bound: number) => keys.length >= bound],
    ['maxProperties', (bound: number) => keys.length <= bound],
  ] as const;
  const own = isRecord(properties) ? properties : {};
  return (
    outside(schema, bounds, at) ??
    first(keys, (key) => {
      const named = Object.hasOwn(own, key);
      // The server knows which names its patterns match.
      if (!named && isRecord(patternProperties)) return undefined;
      const part = named ? own[key] : additionalProperties;
      return check(part, value[key], `${at}.${key}`, budget);
    })
  );
}

function checkCombined(
  schema: Keywords,
  value: unknown,
  at: string,
  budget: Budget,
): string | undefined {
  const { allOf, anyOf, oneOf, not } = schema;
  const fits = (one: unknown): boolean => check(one, value, at, budget) === undefined;
  if (Array.isArray(allOf)) {
    const violation = first(allOf, (one) => check(one, value, at, budget));
    if (violation !== undefined) return violation;
  }
  for (const options of [anyOf, oneOf]) {
    if (Array.isArray(options) && options.length > 0 && !options.some(fits)) {
      return `${at}: matches none of the allowed forms`;
    }
  }
  // A schema that leaves keywords to the server may accept too much, which must not deny here.
  return not !== undefined && isRecord(not) && Object.keys(not).length === 0
    ? `${at}: is not allowed`
    : undefined;
}

function outside(
  schema: Keywords,
  bounds: readonly (readonly [string, (bound: number) => boolean])[],
  at: string,
): string | undefined {
  const broken = bounds.find(([keyword, fits]) => {
    const bound = schema[keyword];
    return typeof bound === 'number' && !fits(bound);
  });
  return broken === undefined ? undefined : `${at}: ${broken[0]} is ${String(schema[broken[0]])}`;
}

function first<Item>(
  items: readonly Item[],
  find: (item: Item, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
