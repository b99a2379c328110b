import type { Json, JsonObject } from '../../../../sandbox/wire/messages.js';
import { isObject } from '../../../schema/shape.js';

/**
 * Arguments without anything by which a caller says which user it is (Spindle tools, No userId in
 * args). A model writes arguments, so such a claim is worth nothing, and an extension knows its user
 * otherwise.
 *
 * `__userId`, `__user_id` and `userId` never arrive at the top. What only looks like them (`UserId`,
 * `user_id`, the same in an object below) arrives where the tool's own schema names it at that place:
 * then it is an argument like any other.
 */
export function stripUsers(args: Json, schema: JsonObject): Json {
  return strip(args, schema, 0);
}

const ALWAYS: ReadonlySet<string> = new Set(['__userId', '__user_id', 'userId']);

/** Deeper than this no input gets across the wire. */
const MAX_DEPTH = 200;

function strip(value: Json, schema: unknown, depth: number): Json {
  if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  if (isList(value)) {
    const items: unknown = isObject(schema) ? schema['items'] : undefined;
    return value.map((item) => strip(item, items, depth + 1));
  }
  const properties: unknown = isObject(schema) ? schema['properties'] : undefined;
  const named = isObject(properties) ? properties : {};
  const kept = Object.entries(value).flatMap(([key, member]): [string, Json][] => {
    const isNamed = Object.hasOwn(named, key);
    if (depth === 0 && ALWAYS.has(key)) return [];
    if (looksLikeUser(key) && !isNamed) return [];
    return [[key, strip(member, isNamed ? named[key] : undefined, depth + 1)]];
  });
  return Object.fromEntries(kept);
}

function looksLikeUser(key: string): boolean {
  return key.replaceAll(/[_\s-]/g, '').toLowerCase() === 'userid';
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
