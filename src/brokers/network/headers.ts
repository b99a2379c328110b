import type { NetworkLimits } from './limits.js';
import type { Refusals } from './refusals.js';

export type Header = readonly [name: string, value: string];

/**
 * Reads the headers of a plugin's request: names in lower case, values trimmed. Names that say how
 * a message is framed or routed are ours to set: they are left out without a word, as fetch does,
 * since honest code sets them too. A name or value that is none is refused.
 */
export function parseRequestHeaders(
  value: unknown,
  limits: NetworkLimits,
  refusals: Refusals,
): readonly Header[] {
  if (!Array.isArray(value)) throw refusals.malformed('its headers are not a list', '');
  const entries: readonly unknown[] = value;
  if (entries.length > limits.maxRequestHeaders) {
    throw refusals.limit('maxRequestHeaders', `it has ${entries.length} headers`);
  }
  let bytes = 0;
  const headers: Header[] = [];
  for (const entry of entries) {
    const header = parseHeader(entry);
    if (header === undefined) throw refusals.malformed('one of its headers is not valid', '');
    bytes += header[0].length + header[1].length;
    if (bytes > limits.maxRequestHeaderBytes) {
      throw refusals.limit('maxRequestHeaderBytes', 'its headers are too long');
    }
    if (!isOurs(header[0])) headers.push(header);
  }
  return headers;
}

function parseHeader(entry: unknown): Header | undefined {
  if (!Array.isArray(entry) || entry.length !== 2) return undefined;
  const [name, value]: readonly unknown[] = entry;
  if (typeof name !== 'string' || typeof value !== 'string' || !TOKEN.test(name)) return undefined;
  const trimmed = value.replace(BLANKS_AROUND, '');
  // Bytes only: anything above would be cut to its low byte on the way out, and U+010A ends in LF.
  return VALUE.test(trimmed) ? [name.toLowerCase(), trimmed] : undefined;
}

export const TOKEN: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/**
 * Those at the end are looked for where they begin, and not anew at each of them: a plugin may write a
 * million in the middle.
 */
const BLANKS_AROUND = /^[\t\r\n ]+|(?<![\t\r\n ])[\t\r\n ]+$/g;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function isOurs(name: string): boolean {
  return OURS.has(name) || name.startsWith('proxy-');
}

const OURS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]);

export function valueOf(headers: readonly Header[], name: string): string | undefined {
  return headers.find((header) => header[0] === name)?.[1];
}

export function without(headers: readonly Header[], names: readonly string[]): readonly Header[] {
  return headers.filter(([name]) => !names.includes(name));
}
