/**
 * Reads data of a fixed shape that somebody else wrote: a manifest, an answer, options. Ours to
 * write and few, so that a parser per field says what is wrong where, and nothing has to be compiled.
 */
export interface Shape<T> {
  /** The value, typed, or `undefined` after at least one entry was added to `problems`. */
  readonly read: (value: unknown, at: string, problems: string[]) => { value: T } | undefined;
}

/** What a shape reads. */
export type Shaped<S> = S extends Shape<infer T> ? T : never;

export type ShapeResult<T> =
  | { readonly ok: true; readonly value: T }
  /** Each as `path: what is wrong`. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** `at` names the whole in problems about it, e.g. `manifest`; parts are named by their path alone. */
export function readShape<T>(shape: Shape<T>, value: unknown, at: string): ShapeResult<T> {
  const problems: string[] = [];
  const read = shape.read(value, '', problems);
  if (read !== undefined && problems.length === 0) return { ok: true, value: read.value };
  const named = problems.map((problem) => (problem.startsWith(':') ? `${at}${problem}` : problem));
  const shown = named.slice(0, MAX_PROBLEMS);
  const left = named.length - shown.length;
  return { ok: false, problems: left > 0 ? [...shown, `${at}: … and ${left} more`] : shown };
}

/** Problems that are listed: a file of a megabyte can have a hundred thousand. */
const MAX_PROBLEMS = 20;

export const boolean: Shape<boolean> = scalar(
  'true or false',
  (value) => typeof value === 'boolean',
);

export const number: Shape<number> = scalar(
  'a number',
  (value): value is number => typeof value === 'number' && Number.isFinite(value),
);

/** Any text, or text that `fits` and of which `what` says what it is. */
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
  };
}

/** A list, or one item in place of a list of one. */
export function oneOrMore<T>(item: Shape<T>): Shape<readonly T[]> {
  const list = array(item);
  return {
    read: (value, at, problems) => {
      if (Array.isArray(value)) return list.read(value, at, problems);
      const read = item.read(value, at, problems);
      return read === undefined ? undefined : { value: [read.value] };
    },
  };
}

/** An object with names that its author chose. */
export function record<T>(item: Shape<T>): Shape<Readonly<Record<string, T>>> {
  return {
    read: (value, at, problems) => {
      if (!isObject(value)) return wrong('an object', value, at, problems);
      const entries = Object.entries(value).flatMap(([key, part]) => {
        const read = item.read(part, join(at, key), problems);
        return read === undefined ? [] : [[key, read.value] as const];
      });
      return { value: Object.fromEntries(entries) };
    },
  };
}

export function wrong(what: string, value: unknown, at: string, problems: string[]): undefined {
  problems.push(`${at}: must be ${what}, not ${nameOf(value)}`);
  return undefined;
}

export function join(at: string, key: string): string {
  const shown = cut(key);
  const name = /^[\w$-]+$/.test(shown) ? shown : JSON.stringify(shown);
  return at === '' ? name : `${at}.${name}`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
