import type { Json } from '../../sandbox/wire/messages.js';

/** One text for one value: keys sorted, no space. What two texts of one JSON value agree in. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
    return `{${parts.join(',')}}`;
  }
  return JSON.stringify(value);
}
