import { didYouMean } from '../did-you-mean.js';
import { isJsonObject, isRecord } from '../../sandbox/wire/json.js';
import type { JsonObject } from '../../sandbox/wire/messages.js';

/** Parses untrusted data of a fixed shape: a manifest, an answer, options. */
export interface Shape<T> {
  /** The value, typed, or `undefined` after at least one entry was added to `problems`. */
  readonly read: (value: unknown, at: string, problems: string[]) => { value: T } | undefined;
  /** The keys in the value that the shape does not read. Absent: it has no keys. */
  readonly findUnread?: (value: unknown, at: string) => readonly UnreadKey[];
}

/** A key that is not read, usually a misspelt one. */
export interface UnreadKey {
  /** The path of its object; empty for the whole value. */
  readonly at: string;
  readonly key: string;
  /** The nearest key that is read. */
  readonly meant: string | undefined;
}

/** The type that a shape reads. */
type Shaped<S> = S extends Shape<infer T> ? T : never;

export type ShapeResult<T> =
  | { readonly ok: true; readonly value: T }
  /** Each as `path: what is wrong`. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** `at` names the whole value in problems, e.g. `manifest`. Problems of a part start with its path. */
export function readShape<T>(shape: Shape<T>, value: unknown, at: string): ShapeResult<T> {
  const problems: string[] = [];
  const read = shape.read(value, '', problems);
  if (read !== undefined && problems.length === 0) return { ok: true, value: read.value };
  const named = problems.map((problem) => (problem.startsWith(':') ? `${at}${problem}` : problem));
  const shown = named.slice(0, MAX_PROBLEMS);
  const left = named.length - shown.length;
  return { ok: false, problems: left > 0 ? [...shown, `${at}: … and ${left} more`] : shown };
}

/** Problems that are listed: a 1 MB file can have 100,000. */
const MAX_PROBLEMS = 20;

export const boolean: Shape<boolean> = scalar(
  'true or false',
  (value) => typeof value === 'boolean',
);

export const number: Shape<number> = scalar(
  'a number',
  (value): value is number => typeof value === 'number' && Number.isFinite(value),
);

/** A whole number that is not negative. */
export const wholeNumber: Shape<number> = scalar(
  'a whole number',
  (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
);

/** `true`, of a field that is otherwise left out. */
export const literalTrue: Shape<true> = {
  read: (value, at, problems) => {
    if (value === true) return { value };
    problems.push(`${at}: must be true, or left out`);
    return undefined;
  },
};

/** Any value, unread. */
export const any: Shape<unknown> = { read: (value) => ({ value }) };

/** An object of JSON, whatever its members are. */
export const jsonObject: Shape<JsonObject> = scalar('an object', isJsonObject);

/** Any text, or one for which `fits` returns true. `what` describes it in problems. */
export function string(
  what = 'a text',
  fits: (text: string) => boolean = () => true,
): Shape<string> {
  return scalar(what, (value): value is string => typeof value === 'string' && fits(value));
}

/** One of these values. */
export function oneOf<const T extends string | number>(...values: readonly T[]): Shape<T> {
  const words = values.map((value) => JSON.stringify(value)).join(' or ');
  return scalar(words, (value): value is T => values.some((allowed) => allowed === value));
}

export function array<T>(item: Shape<T>): Shape<readonly T[]> {
  return {
    read: (value, at, problems) => {
      if (!Array.isArray(value)) return wrong('a list', value, at, problems);
      const items = value.map((part, index) => item.read(part, `${at}[${index}]`, problems));
      const good = items.flatMap((read) => (read === undefined ? [] : [read.value]));
      return good.length === items.length ? { value: good } : undefined;
    },
    findUnread: (value, at) =>
      Array.isArray(value)
        ? value.flatMap((part, index) => item.findUnread?.(part, `${at}[${index}]`) ?? [])
        : [],
  };
}

/** A list, or a single item, which is read as a list of one. */
export function oneOrMore<T>(item: Shape<T>): Shape<readonly T[]> {
  const list = array(item);
  return {
    read: (value, at, problems) => {
      if (Array.isArray(value)) return list.read(value, at, problems);
      const read = item.read(value, at, problems);
      return read === undefined ? undefined : { value: [read.value] };
    },
    findUnread: (value, at) => (Array.isArray(value) ? list : item).findUnread?.(value, at) ?? [],
  };
}

/** An object with arbitrary keys. */
export function record<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    read: (value, at, problems) => {
      if (!isRecord(value)) return wrong('an object', value, at, problems);
      const entries = Object.entries(value).flatMap(([key, part]) => {
        const read = item.read(part, join(at, key), problems);
        return read === undefined ? [] : [[key, read.value] as const];
      });
      return { value: Object.fromEntries(entries) };
    },
  };
}

/** Reads the first shape, or else the second. Problems are those of the second. */
export function either<A, B>(first: Shape<A>, second: Shape<B>): Shape<A | B> {
  return {
    read: (value, at, problems) => first.read(value, at, []) ?? second.read(value, at, problems),
  };
}

export function wrong(what: string, value: unknown, at: string, problems: string[]): undefined {
  problems.push(`${at}: must be ${what}, not ${nameOf(value)}`);
  return undefined;
}

function join(at: string, key: string): string {
  const shown = cut(key);
  const name = /^[\w$-]+$/.test(shown) ? shown : JSON.stringify(shown);
  return at === '' ? name : `${at}.${name}`;
}

function scalar<T>(what: string, fits: (value: unknown) => value is T): Shape<T> {
  return {
    read: (value, at, problems) => (fits(value) ? { value } : wrong(what, value, at, problems)),
  };
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return JSON.stringify(cut(value));
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A field that may be missing. `null` is not missing. */
interface Optional<T> {
  readonly optional: Shape<T>;
}

export function optional<T>(shape: Shape<T>): Optional<T> {
  return { optional: shape };
}

type Field = Shape<unknown> | Optional<unknown>;
type Fields = Readonly<Record<string, Field>>;

/** The type that an object of these fields is read to. */
type ObjectOf<F extends Fields> = {
  readonly [Key in keyof F as F[Key] extends Shape<unknown> ? Key : never]: Shaped<F[Key]>;
} & {
  readonly [
    Key in keyof F as F[Key] extends Optional<unknown> ? Key : never
  ]?: F[Key] extends Optional<infer T> ? T : never;
};

/**
 * An object of named fields. If `unknownKeys` is `refuse`, each other key is a problem; if it is
 * `drop` (the default), other keys are left out. Inherited properties do not count. `hint` returns
 * the correction of an unknown key, as a sentence. Default: the nearest key.
 */
export function object<F extends Fields>(
  fields: F,
  unknownKeys: 'refuse' | 'drop' = 'drop',
  hint: (key: string) => string = (key) => nearest(key, Object.keys(fields)),
): Shape<ObjectOf<F>> {
  const all = Object.entries(fields).map(([key, field]) => ({ key, field, name: join('', key) }));
  return {
    read: (value, at, problems) => {
      if (!isRecord(value)) return wrong('an object', value, at, problems);
      const before = problems.length;
      // The keys are those of `fields`, so none of them is the value's choice.
      const found: Record<string, unknown> = {};
      for (const { key, field, name } of all) {
        // A fast path: most fields are optional and absent.
        if ('optional' in field && value[key] === undefined) continue;
        const read = readField(value, key, field, at === '' ? name : `${at}.${name}`, problems);
        if (read !== undefined) found[key] = read.value;
      }
      if (unknownKeys === 'refuse') {
        for (const key of Object.keys(value)) {
          if (Object.hasOwn(fields, key)) continue;
          const more = hint(key);
          problems.push(`${join(at, key)}: is not known${more === '' ? '' : `. ${more}`}`);
        }
      }
      if (problems.length > before) return undefined;
      // oxlint-disable-next-line no-unsafe-type-assertion -- each member has the type that its shape reads
      return { value: found as ObjectOf<F> };
    },
    findUnread: (value, at) => {
      if (!isRecord(value)) return [];
      return Object.entries(value).flatMap(([key, part]) => {
        const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
        if (field === undefined) {
          return [{ at, key: cut(key), meant: didYouMean(key, Object.keys(fields)) }];
        }
        const shape = 'optional' in field ? field.optional : field;
        return shape.findUnread?.(part, join(at, key)) ?? [];
      });
    },
  };
}

function nearest(key: string, keys: readonly string[]): string {
  const meant = didYouMean(key, keys);
  return meant === undefined ? '' : `Did you mean "${meant}"?`;
}

function readField(
  value: Readonly<Record<string, unknown>>,
  key: string,
  field: Field,
  at: string,
  problems: string[],
): { readonly value: unknown } | undefined {
  const isOptional = 'optional' in field;
  if (!Object.hasOwn(value, key) || value[key] === undefined) {
    if (!isOptional) problems.push(`${at}: is missing`);
    return undefined;
  }
  const shape = isOptional ? field.optional : field;
  return shape.read(value[key], at, problems);
}
