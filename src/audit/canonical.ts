/**
 * The one JSON text of a value: keys in order of their UTF-16 code units, no white space, members
 * that are `undefined` left out. Two values that are equal as JSON have the same text, and a text
 * that was changed by a byte is no longer the text of what it says.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (!hasMembers(value)) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let text = '';
  for (const key of inOrder(Object.keys(value))) {
    const member = value[key];
    if (member !== undefined)
      text += `${text === '' ? '' : ','}${quote(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** A key, and how it stands in the text: after a comma, before its value. */
export type CanonicalKey = readonly [key: string, text: string];

/** Keys in their canonical order. */
export function canonicalKeys(keys: readonly string[]): CanonicalKey[] {
  return inOrder(keys).map((key) => [key, `,${quote(key)}:`]);
}

/** Those members of a value that have one of the keys, as they stand in the text, a comma before each. */
export function canonicalMembers(value: unknown, keys: readonly CanonicalKey[]): string {
  if (!hasMembers(value)) return '';
  let text = '';
  for (const [key, written] of keys) {
    const member = value[key];
    if (member !== undefined) text += written + canonicalJson(member);
  }
  return text;
}

export type Members = Readonly<Record<string, unknown>>;

export function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

function inOrder(keys: readonly string[]): readonly string[] {
  // Many are in order as they are, and to look is quicker than to sort.
  let last = '';
  for (const key of keys) {
    if (key < last) return keys.toSorted((a, b) => (a < b ? -1 : 1));
    last = key;
  }
  return keys;
}

/** A text in quotes. Most have nothing in them to escape, and to look is quicker than to try. */
function quote(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Printable ASCII but for quotes and backslashes. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
