import { isRecord } from '../sandbox/wire/json.js';

// The package `canonicalize` takes 2 to 10 times as long on the call path, and throws on a lone
// surrogate, which JSON allows.

/**
 * The one JSON text of a value: keys sorted by UTF-16 code units, no white space, `undefined` members
 * left out. Equal JSON values have the same text.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  let text = '';
  for (const key of sorted(Object.keys(value))) {
    const member = value[key];
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** A key, and its encoded text with a leading comma: `,"key":`. */
export type CanonicalKey = readonly [key: string, text: string];

/** Keys in canonical order. */
export function canonicalKeys(keys: readonly string[]): CanonicalKey[] {
  return sorted(keys).map((key) => [key, `,${quote(key)}:`]);
}

/** The canonical text of the members with these keys, each with a leading comma. */
export function canonicalMembers(value: unknown, keys: readonly CanonicalKey[]): string {
  if (!isRecord(value)) return '';
  let text = '';
  for (const [key, keyText] of keys) {
    const member = value[key];
    if (member !== undefined) text += keyText + canonicalJson(member);
  }
  return text;
}

function sorted(keys: readonly string[]): readonly string[] {
  // Most keys are sorted already, and a check is faster than a sort.
  let last = '';
  for (const key of keys) {
    if (key < last) return keys.toSorted((a, b) => (a < b ? -1 : 1));
    last = key;
  }
  return keys;
}

/** Most texts have nothing to escape, and this test is faster than JSON.stringify. */
function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Printable ASCII without quotes and backslashes. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
