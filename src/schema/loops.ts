import type { JsonObject } from '../../sandbox/wire/messages.js';
import type { FoundSchema } from './references.js';

/**
 * The place of a schema that cannot be applied without applying it again to the same value, or
 * `undefined` where there is none: `{ "$ref": "#" }`, or `a` = all of `b` and `b` = any of `a`. A
 * schema that contains itself for a *part* of its value, as trees do, ends with the value.
 */
export function findLoop(schemas: readonly FoundSchema[]): string | undefined {
  // Most schemas apply nothing else to the same value.
  if (schemas.every(({ inPlace }) => inPlace.length === 0)) return undefined;
  const bySchema = new Map<JsonObject, FoundSchema>(schemas.map((found) => [found.schema, found]));
  const done = new Set<FoundSchema>();
  const under = new Set<FoundSchema>();

  const search = (found: FoundSchema): string | undefined => {
    if (under.has(found)) return found.place;
    if (done.has(found)) return undefined;
    under.add(found);
    for (const schema of found.inPlace) {
      const next = bySchema.get(schema);
      const loop = next === undefined ? undefined : search(next);
      if (loop !== undefined) return loop;
    }
    under.delete(found);
    done.add(found);
    return undefined;
  };

  for (const found of schemas) {
    const loop = search(found);
    if (loop !== undefined) return loop;
  }
  return undefined;
}
