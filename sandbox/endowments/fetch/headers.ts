import { makeBrand, type Brand } from '../brand.js';
import {
  demandArguments,
  isCallable,
  isObject,
  toByteText,
  toPairs,
  toText,
  walk,
} from '../web-idl.js';

export type HeaderList = (readonly [name: string, value: string])[];

export interface HeadersState {
  /** In order of insertion, with names in lower case. */
  list: HeaderList;
  /** The headers of a network response: `append` and the other setters throw. */
  readonly fixed: boolean;
}

export const headerStates: Brand<HeadersState> = makeBrand<HeadersState>('Headers');

export class Headers {
  constructor(init?: unknown) {
    headerStates.give(this, { list: readHeaders(init), fixed: false });
  }

  append(name: unknown, value: unknown): void {
    const state = headerStates.demand(this);
    demandArguments(arguments.length, 2, 'append');
    const header = toHeader(name, value);
    demandChangeable(state).list.push(header);
  }

  set(name: unknown, value: unknown): void {
    const state = headerStates.demand(this);
    demandArguments(arguments.length, 2, 'set');
    const header = toHeader(name, value);
    const first = state.list.findIndex(([known]) => known === header[0]);
    const others = state.list.filter(([known]) => known !== header[0]);
    demandChangeable(state).list =
      first === -1 ? [...others, header] : others.toSpliced(first, 0, header);
  }

  delete(name: unknown): void {
    const state = headerStates.demand(this);
    const wanted = toName(name);
    demandChangeable(state).list = state.list.filter(([known]) => known !== wanted);
  }

  get(name: unknown): string | null {
    return getHeader(headerStates.demand(this).list, toName(name)) ?? null;
  }

  getSetCookie(): string[] {
    return headerStates
      .demand(this)
      .list.filter(([known]) => known === 'set-cookie')
      .map(([, value]) => value);
  }

  has(name: unknown): boolean {
    const state = headerStates.demand(this);
    const wanted = toName(name);
    return state.list.some(([known]) => known === wanted);
  }

  forEach(callback: unknown, self?: unknown): void {
    const state = headerStates.demand(this);
    if (!isCallable(callback)) throw new TypeError('forEach takes a function');
    for (const [name, value] of walk((index) => sortAndCombine(state.list)[index])) {
      Reflect.apply(callback, self, [value, name, this]);
    }
  }

  entries(): IterableIterator<[string, string]> {
    const state = headerStates.demand(this);
    return walk((index) => sortAndCombine(state.list)[index]);
  }
  keys(): IterableIterator<string> {
    const state = headerStates.demand(this);
    return walk((index) => sortAndCombine(state.list)[index]?.[0]);
  }
  values(): IterableIterator<string> {
    const state = headerStates.demand(this);
    return walk((index) => sortAndCombine(state.list)[index]?.[1]);
  }
  [Symbol.iterator](): IterableIterator<[string, string]> {
    const state = headerStates.demand(this);
    return walk((index) => sortAndCombine(state.list)[index]);
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }
}

/** Makes a Headers object. If `fixed`, plugin code may only read it. */
export function makeHeaders(list: HeaderList, fixed: boolean): object {
  const headers: object = Object.create(Headers.prototype);
  headerStates.give(headers, { list, fixed });
  return headers;
}

/** Reads a headers argument in any of its forms. */
export function readHeaders(init: unknown): HeaderList {
  if (init === undefined || init === null) return [];
  const known = headerStates.read(init);
  if (known !== undefined) return [...known.list];
  if (!isObject(init)) throw new TypeError('Headers are an object or a list of pairs');
  return toPairs(init, toText, 'A list of headers').map(([name, value]) => toHeader(name, value));
}

/** The value of a header, or the joined values if it occurs several times. */
export function getHeader(list: HeaderList, name: string): string | undefined {
  const values = list.filter(([known]) => known === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

/** Adds a header if none has that name. */
export function addDefault(list: HeaderList, name: string, value: string): HeaderList {
  return list.some(([known]) => known === name) ? list : [...list, [name, value]];
}

function demandChangeable(state: HeadersState): HeadersState {
  if (state.fixed) throw new TypeError('These headers cannot be changed');
  return state;
}

function toHeader(name: unknown, value: unknown): readonly [string, string] {
  const key = toName(name);
  const text = toByteText(value).replace(/^[\t\n\r ]+|(?<![\t\n\r ])[\t\n\r ]+$/g, '');
  if (/[\0\n\r]/.test(text)) throw new TypeError(`The value of the header ${key} breaks the line`);
  return [key, text];
}

function toName(name: unknown): string {
  const text = toText(name);
  if (!TOKEN.test(text)) throw new TypeError(`${JSON.stringify(text)} is not a name of a header`);
  return text.toLowerCase();
}

export const TOKEN: RegExp = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The headers as iteration shows them: sorted and joined by name, except cookies, which stay
 * separate.
 */
function sortAndCombine(list: HeaderList): [string, string][] {
  const names = [...new Set(list.map(([name]) => name))].toSorted();
  return names.flatMap((name): [string, string][] =>
    name === 'set-cookie'
      ? list.filter(([known]) => known === name).map(([, value]) => [name, value])
      : [[name, getHeader(list, name) ?? '']],
  );
}
