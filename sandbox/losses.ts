import { isArrayBuffer, typedArrayName } from './endowments/bytes.js';

/** Collects what JSON does not have in one value of a plugin. */
export interface Losses {
  /** `path`: where the value is, such as `rows[0].id`; empty for the whole. */
  add(value: unknown, path: string): void;
  /** A sentence about what was collected; `undefined` if nothing was. */
  describe(subject: string): string | undefined;
}

/** Losses that a sentence names. */
const MAX_NAMED = 3;

export function makeLosses(): Losses {
  const named: string[] = [];
  let more = 0;
  return {
    add: (value, path) => {
      if (named.length >= MAX_NAMED) more += 1;
      else named.push(`${path === '' ? 'the value itself' : path} is ${nameLoss(value)}`);
    },
    describe: (subject) => {
      if (named.length === 0) return undefined;
      const rest = more === 0 ? '' : `; and ${more} more`;
      return `${subject} is not plain data, so a part of it is lost: ${named.join('; ')}${rest}.`;
    },
  };
}

/** Whether JSON has less of an object with this prototype than its own properties show. */
export function losesContents(object: object, prototype: object, keys: number): boolean {
  return keys === 0 || typedArrayName(object) !== undefined || hasGetters(prototype);
}

/** By prototype: whether it has accessors, which JSON never reads. */
const withGetters = new WeakMap<object, boolean>();

function hasGetters(prototype: object): boolean {
  const known = withGetters.get(prototype);
  if (known !== undefined) return known;
  const found = attempt(
    () =>
      Object.values(Object.getOwnPropertyDescriptors(prototype)).some(
        ({ get }) => get !== undefined,
      ),
    false,
  );
  withGetters.set(prototype, found);
  return found;
}

/** The value, what becomes of it, and what to return instead. */
function nameLoss(value: unknown): string {
  switch (typeof value) {
    case 'function':
      return 'a function (left out: return data)';
    case 'symbol':
      return 'a symbol (left out: return a string)';
    case 'undefined':
      return 'undefined (becomes null)';
    case 'number':
      return `${value} (becomes null)`;
    default:
      return typeof value === 'object' && value !== null ? nameObject(value) : 'not data';
  }
}

function nameObject(object: object): string {
  const isA = (kind: new (...args: never[]) => unknown): boolean =>
    attempt(() => object instanceof kind, false);
  if (isA(Map)) return 'a Map (becomes {}: return Object.fromEntries(map) or [...map])';
  if (isA(Set)) return 'a Set (becomes {}: return [...set])';
  if (isA(Promise)) return 'a Promise (becomes {}: await it)';
  if (isA(Error)) return 'an Error (its message is left out: return error.message)';
  const typed = typedArrayName(object) ?? (isArrayBuffer(object) ? 'ArrayBuffer' : undefined);
  if (typed !== undefined) return `${withArticle(typed)} (not bytes in JSON: return base64 text)`;
  const name = attempt(() => className(object), undefined);
  if (name === 'Object') return 'an object with getters (only its own public fields are in JSON)';
  if (name === 'Response') return 'a Response (left out: return await response.json())';
  const what = name === undefined ? 'an object of a class' : withArticle(name);
  return `${what} (only its own public fields are in JSON: return a plain object)`;
}

/** Characters of a class's name. */
const MAX_NAME = 60;

function className(object: object): string | undefined {
  const constructed: unknown = Reflect.get(object, 'constructor');
  const name: unknown = typeof constructed === 'function' ? constructed.name : undefined;
  return typeof name === 'string' && name !== '' ? name.slice(0, MAX_NAME) : undefined;
}

function withArticle(name: string): string {
  return `${/^[AEIO]/i.test(name) ? 'an' : 'a'} ${name}`;
}

/** Reads of a plugin's object may run its code, which may throw. */
function attempt<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
