/**
 * Conversions of arguments as in Web IDL. A plugin's object may answer differently each time, so
 * each conversion reads it once and returns a primitive.
 */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'symbol') throw new TypeError('A symbol cannot be converted to a string');
  return String(value);
}

/** Text without lone surrogates, which UTF-8 cannot encode. */
export function toScalarText(value: unknown): string {
  const text = toText(value);
  return MAYBE_LONE.test(text) ? text.replace(LONE, '\ufffd') : text;
}

const MAYBE_LONE = /[\ud800-\udfff]/;
const LONE = /\p{Surrogate}/gu;

/** Text in which every character is one byte, as in headers. */
export function toByteText(value: unknown): string {
  const text = toText(value);
  if (WIDE.test(text)) throw new TypeError('A header holds a character that is more than one byte');
  return text;
}

const WIDE = /[^\0-\xff]/;

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export function isCallable(value: unknown): value is (...args: readonly unknown[]) => unknown {
  return typeof value === 'function';
}

export function isIterable(value: unknown): value is Iterable<unknown> {
  return isObject(value) && isCallable(Reflect.get(value, Symbol.iterator));
}

/** An options argument. Absent means empty. Throws for a primitive. */
export function toOptions(value: unknown, what: string): object {
  if (value === undefined || value === null) return NO_OPTIONS;
  if (!isObject(value)) throw new TypeError(`The ${what} is not an object`);
  return value;
}

const NO_OPTIONS: object = Object.freeze({});

/** Reads one member of an options argument. It may run a plugin's getter, so call it once. */
export function member(options: object, name: string): unknown {
  return Reflect.get(options, name);
}

export function demandArguments(given: number, wanted: number, what: string): void {
  if (given < wanted) {
    throw new TypeError(`${what} takes ${wanted} arguments at least, and was given ${given}`);
  }
}

/** The pairs of a `sequence<sequence<string>>` or of a `record<string, string>`. */
export function toPairs(
  value: object,
  convert: (part: unknown) => string,
  what: string,
): [string, string][] {
  const pairs: [string, string][] = [];
  if (isIterable(value)) {
    for (const item of value) {
      if (!isIterable(item)) throw new TypeError(`${what} is not a list of pairs`);
      const pair = [...item];
      if (pair.length !== 2) throw new TypeError(`${what} is not a list of pairs`);
      pairs.push([convert(pair[0]), convert(pair[1])]);
    }
    return pairs;
  }
  for (const key of Reflect.ownKeys(value)) {
    if (Reflect.getOwnPropertyDescriptor(value, key)?.enumerable === true) {
      pairs.push([convert(key), convert(Reflect.get(value, key))]);
    }
  }
  return pairs;
}

/**
 * Iterates by index over a list that may change meanwhile, as the web's iterators do. The iterator
 * object does not expose the list.
 */
export function* walk<Item>(at: (index: number) => Item | undefined): Generator<Item, undefined> {
  for (let index = 0; ; index += 1) {
    const item = at(index);
    if (item === undefined) return undefined;
    yield item;
  }
}
