import { offer } from './denied.js';

export type Query = Record<string, string | string[]>;
type Codec = (text: string) => string;

export function parse(
  text: string,
  separator = '&',
  equals = '=',
  options: { readonly maxKeys?: number; readonly decodeURIComponent?: Codec } = {},
): Query {
  const query: Query = Object.create(null);
  const decode = options.decodeURIComponent ?? unescape;
  const maxKeys = options.maxKeys ?? 1000;
  const pairs = String(text)
    .split(separator)
    .filter((pair) => pair !== '');
  for (const pair of maxKeys > 0 ? pairs.slice(0, maxKeys) : pairs) {
    const at = pair.indexOf(equals);
    const read = (part: string): string => decode(part.replaceAll('+', ' '));
    const name = read(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : read(pair.slice(at + equals.length));
    const known = query[name];
    if (known === undefined) query[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else query[name] = [known, value];
  }
  return query;
}

export function stringify(
  query: object | null | undefined,
  separator = '&',
  equals = '=',
  options: { readonly encodeURIComponent?: Codec } = {},
): string {
  const encode = options.encodeURIComponent ?? escape;
  return Object.entries(query ?? {})
    .flatMap(([name, value]: [string, unknown]) =>
      (Array.isArray(value) ? value : [value]).map(
        (item: unknown) => encode(name) + equals + encode(textOf(item)),
      ),
    )
    .join(separator);
}

function textOf(value: unknown): string {
  const isPlain =
    typeof value === 'string' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    typeof value === 'bigint' ||
    typeof value === 'boolean';
  return isPlain ? String(value) : '';
}

function escape(text: string): string {
  return encodeURIComponent(text).replace(/%(?:21|27|28|29|2A)/g, decodeURIComponent);
}

/** As `decodeURIComponent`, but malformed escapes stay unchanged. */
function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (bytes) => {
      try {
        return decodeURIComponent(bytes);
      } catch {
        return bytes;
      }
    });
  }
}

export const builtin: object = offer('querystring', {
  parse,
  decode: parse,
  stringify,
  encode: stringify,
  escape,
  unescape,
});
