import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { isList, subschemas } from './draft.js';

/** Creates the error that refuses a schema. `place` is a JSON pointer, `#` for the whole schema. */
export type Refuse = (place: string, why: string) => Error;

/** A schema found in the document. */
export interface FoundSchema {
  readonly schema: JsonObject;
  /** As a JSON pointer from the document's root. */
  readonly place: string;
  /** Schemas that always apply to the same value as this one. */
  readonly inPlace: readonly JsonObject[];
}

/**
 * Every schema in the document: nested ones, and those that a reference points to
 * (`#/components/schemas/City`). Throws if a reference points out of the document or to nothing:
 * the engine fetches no documents for an untrusted schema.
 */
export function findSchemas(root: JsonObject, refuse: Refuse): readonly FoundSchema[] {
  let index: Index | undefined;
  // Most schemas have no references.
  const document = (): Index => (index ??= indexDocument(root));
  const found = new Map<JsonObject, FoundSchema>();
  const pending: PendingSchema[] = [{ schema: root, place: '#', base: ROOT }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { schema, place } = next;
    if (found.has(schema)) continue;
    const base = baseOf(schema, next.base);
    const inPlace: JsonObject[] = [];
    found.set(schema, { schema, place, inPlace });
    for (const child of subschemas(schema)) {
      if (child.inPlace) inPlace.push(child.schema);
      pending.push({ schema: child.schema, place: place + child.at, base });
    }
    for (const keyword of REFERENCES) {
      const because = (why: string): Error => refuse(`${place}/${keyword}`, why);
      for (const target of resolveTargets(document, schema[keyword], base, because)) {
        inPlace.push(target.schema);
        pending.push(target);
      }
    }
  }
  return [...found.values()];
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

interface PendingSchema {
  readonly schema: JsonObject;
  readonly place: string;
  /** The URI that its own `$id` is relative to. */
  readonly base: string;
}

/**
 * Parts of the document that have a URI, and their anchors (`uri#name`), by URI. The first of two
 * equal URIs is used; the validator refuses such a schema later.
 */
type Index = ReadonlyMap<string, PendingSchema>;

// The URI of a document without `$id`. It cannot be fetched.
const ROOT = 'schema:///';

function indexDocument(root: JsonObject): Index {
  const index = new Map<string, PendingSchema>([[ROOT, { schema: root, place: '#', base: ROOT }]]);
  const add = (uri: string, part: PendingSchema): void => {
    if (!index.has(uri)) index.set(uri, part);
  };
  const visit = (schema: JsonObject, place: string, outer: string): void => {
    const base = baseOf(schema, outer);
    const part = { schema, place, base: outer };
    if (base !== outer) add(base, part);
    for (const anchor of anchorsOf(schema)) add(`${base}#${anchor}`, part);
    for (const child of subschemas(schema)) visit(child.schema, place + child.at, base);
  };
  visit(root, '#', ROOT);
  return index;
}

function baseOf(schema: JsonObject, outer: string): string {
  const id = schema['$id'];
  if (typeof id !== 'string' || id.startsWith('#')) return outer;
  return resolve(id, outer)?.uri ?? outer;
}

function anchorsOf(schema: JsonObject): readonly string[] {
  const id = schema['$id'];
  const old = typeof id === 'string' && id.startsWith('#') ? id.slice(1) : undefined;
  const names = [schema['$anchor'], schema['$dynamicAnchor'], old];
  return [...new Set(names.filter((name) => typeof name === 'string'))];
}

function resolveTargets(
  document: () => Index,
  reference: Json | undefined,
  base: string,
  refuse: (why: string) => Error,
): readonly PendingSchema[] {
  if (reference === undefined) return [];
  const quoted = JSON.stringify(reference).slice(0, 200);
  const target = typeof reference === 'string' ? resolve(reference, base) : undefined;
  if (target === undefined) throw refuse(`${quoted} is not a reference`);
  const index = document();
  const resource = index.get(target.uri);
  // guard: schema-reference-inside
  if (resource === undefined) {
    throw refuse(`refers to ${quoted}, outside the schema. Put its target under "$defs"`);
  }
  const { uri, fragment } = target;
  const found =
    fragment === '' || fragment.startsWith('/')
      ? pointTo(resource, fragment)
      : index.get(`${uri}#${fragment}`);
  if (found === undefined)
    throw refuse(`refers to ${quoted}, which is not a schema in this document`);
  return found === true ? [] : [found];
}

function resolve(
  reference: string,
  base: string,
): { readonly uri: string; readonly fragment: string } | undefined {
  if (reference.startsWith('#')) {
    // Nearly all references: parsing each as a URL would be slow.
    const fragment = decode(reference.slice(1));
    return fragment === undefined ? undefined : { uri: base, fragment };
  }
  if (!URL.canParse(reference, base)) return undefined;
  const url = new URL(reference, base);
  const fragment = decode(url.hash.slice(1));
  url.hash = '';
  return fragment === undefined ? undefined : { uri: url.href, fragment };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The schema at a pointer, `undefined` if there is none, `true` for the schemas `true` and `false`. */
function pointTo(from: PendingSchema, pointer: string): PendingSchema | true | undefined {
  let at: Json | undefined = from.schema;
  let { base } = from;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isRecord(at)) base = baseOf(at, base);
    if (isList(at)) at = at[Number(key)];
    else at = isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  if (typeof at === 'boolean') return true;
  return isRecord(at) ? { schema: at, place: `${from.place}${pointer}`, base } : undefined;
}

/**
 * The place of a schema that applies itself to the same value again, or `undefined` if there is
 * none: `{ "$ref": "#" }`, or `a` = all of `b` and `b` = any of `a`. A schema may apply itself to a
 * *part* of its value, as trees do: that recursion ends with the value.
 */
export function findLoop(schemas: readonly FoundSchema[]): string | undefined {
  // Most schemas have no in-place subschemas.
  if (schemas.every(({ inPlace }) => inPlace.length === 0)) return undefined;
  const bySchema = new Map<JsonObject, FoundSchema>(schemas.map((found) => [found.schema, found]));
  const done = new Set<FoundSchema>();
  const active = new Set<FoundSchema>();

  const search = (found: FoundSchema): string | undefined => {
    if (active.has(found)) return found.place;
    if (done.has(found)) return undefined;
    active.add(found);
    for (const schema of found.inPlace) {
      const next = bySchema.get(schema);
      const loop = next === undefined ? undefined : search(next);
      if (loop !== undefined) return loop;
    }
    active.delete(found);
    done.add(found);
    return undefined;
  };

  for (const found of schemas) {
    const loop = search(found);
    if (loop !== undefined) return loop;
  }
  return undefined;
}
