import type { Json } from '../../sandbox/wire/messages.js';
import type { SchemaLimits } from './limits.js';

/** Makes the error that refuses a schema; `place` is a JSON pointer, `#` for the whole. */
export type Refuse = (place: string, why: string) => Error;

/**
 * Copies plain JSON within the limits, and nothing else: a stranger's object may answer differently
 * each time it is read. Own keys named `__proto__` are left out, since code generated from a schema
 * would set a prototype with them.
 */
export function copyJson(value: unknown, limits: SchemaLimits, refuse: Refuse): Json {
  let characters = 0;
  let objects = 0;

  const spend = (text: string): void => {
    characters += text.length + 1;
    if (characters > limits.maxCharacters) {
      throw refuse('#', `is longer than ${limits.maxCharacters} characters`);
    }
  };

  const copy = (part: unknown, place: string, depth: number): Json => {
    if (typeof part === 'string' || typeof part === 'boolean' || part === null) {
      spend(JSON.stringify(part));
      return part;
    }
    if (typeof part === 'number' && Number.isFinite(part)) {
      spend(String(part));
      return part;
    }
    if (typeof part !== 'object') throw refuse(place, 'is not JSON');
    if (depth >= limits.maxDepth) throw refuse(place, `lies deeper than ${limits.maxDepth} levels`);
    spend('{');
    if (Array.isArray(part)) {
      return Array.from(part, (item, index) => copy(item, `${place}/${index}`, depth + 1));
    }
    if (!isPlain(part)) throw refuse(place, 'is not JSON');
    objects += 1;
    if (objects > limits.maxObjects) {
      throw refuse('#', `is made of more than ${limits.maxObjects} objects`);
    }
    const entries: [string, Json][] = [];
    for (const [key, item] of Object.entries(part)) {
      spend(JSON.stringify(key));
      if (key !== '__proto__') entries.push([key, copy(item, `${place}/${key}`, depth + 1)]);
    }
    return Object.fromEntries(entries);
  };

  return copy(value, '#', 0);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
