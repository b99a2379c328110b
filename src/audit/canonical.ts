/**
 * The one JSON text of a value: keys in order of their UTF-16 code units, no white space, members
 * that are `undefined` left out. Two values that are equal as JSON have the same text, and a text
 * that was changed by a byte is no longer the text of what it says.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  return textOfMembers(canonicalMembers(value));
}

/** One member of a record, as it stands in the canonical text. */
export type CanonicalMember = readonly [key: string, text: string];

/** The members of a record in their canonical order, for whoever adds one more to them. */
export function canonicalMembers(value: object): CanonicalMember[] {
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, `${JSON.stringify(key)}:${canonicalJson(member)}`]);
}

export function textOfMembers(members: readonly CanonicalMember[]): string {
  return `{${members.map(([, text]) => text).join(',')}}`;
}
