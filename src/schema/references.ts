import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import type { Refuse } from './copy.js';
import { isList, isObject, subschemas } from './subschemas.js';

/** A schema of the document, once it has been seen that it is one. */
export interface FoundSchema {
  readonly schema: JsonObject;
  /** As a JSON pointer from the document's root. */
  readonly place: string;
  /** Schemas that are applied to the same value whenever this one is. */
  readonly inPlace: readonly JsonObject[];
}

/**
 * Every schema in the document: those inside each other, and those that a reference makes one by
 * pointing to them (`#/components/schemas/City`). Throws where a reference leads out of the
 * document or to nothing: nobody fetches anything for a stranger's schema.
 */
export function findSchemas(root: JsonObject, refuse: Refuse): readonly FoundSchema[] {
  let index: Index | undefined;
  // Most schemas refer to nothing.
  const document = (): Index => (index ??= indexDocument(root));
  const found = new Map<JsonObject, FoundSchema>();
  const waiting: Waiting[] = [{ schema: root, place: '#', base: ROOT }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema, place } = next;
    if (found.has(schema)) continue;
    const base = baseOf(schema, next.base);
    const inPlace: JsonObject[] = [];
    found.set(schema, { schema, place, inPlace });
    for (const child of subschemas(schema)) {
      if (child.inPlace) inPlace.push(child.schema);
      waiting.push({ schema: child.schema, place: place + child.at, base });
    }
    for (const keyword of REFERENCES) {
      const because = (why: string): Error => refuse(`${place}/${keyword}`, why);
      for (const target of follow(document, schema[keyword], base, because)) {
        inPlace.push(target.schema);
        waiting.push(target);
      }
    }
  }
  return [...found.values()];
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];

interface Waiting {
  readonly schema: JsonObject;
  readonly place: string;
  /** The URI against which its own `$id` is resolved. */
  readonly base: string;
}

/**
 * By URI: each part of the document that names itself, and each anchor in it (`uri#name`). Of two by
 * one name the first: the validator refuses such a schema.
 */
type Index = ReadonlyMap<string, Waiting>;

// A document without `$id` has a URI too, one that nobody can fetch.
const ROOT = 'schema:///';

function indexDocument(root: JsonObject): Index {
  const index = new Map<string, Waiting>([[ROOT, { schema: root, place: '#', base: ROOT }]]);
  const add = (uri: string, part: Waiting): void => {
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

function follow(
  document: () => Index,
  reference: Json | undefined,
  base: string,
  refuse: (why: string) => Error,
): readonly Waiting[] {
  if (reference === undefined) return [];
  const shown = JSON.stringify(reference).slice(0, 200);
  const target = typeof reference === 'string' ? resolve(reference, base) : undefined;
  if (target === undefined) throw refuse(`${shown} is not a reference`);
  const index = document();
  const resource = index.get(target.uri);
  if (resource === undefined) {
    throw refuse(`refers to ${shown}, outside the schema. Put what it refers to under "$defs"`);
  }
  const { uri, fragment } = target;
  const found =
    fragment === '' || fragment.startsWith('/')
      ? pointTo(resource, fragment)
      : index.get(`${uri}#${fragment}`);
  if (found === undefined) throw refuse(`refers to ${shown}, where there is no schema`);
  return found === true ? [] : [found];
}

function resolve(
  reference: string,
  base: string,
): { readonly uri: string; readonly fragment: string } | undefined {
  if (reference.startsWith('#')) {
    // Nearly all of them, and a thousand URLs take a while to parse.
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

/** `undefined` where the pointer leads to nothing; `true` for `true` and `false`, which lead no further. */
function pointTo(from: Waiting, pointer: string): Waiting | true | undefined {
  let at: Json | undefined = from.schema;
  let { base } = from;
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (isObject(at)) base = baseOf(at, base);
    if (isList(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  if (typeof at === 'boolean') return true;
  return isObject(at) ? { schema: at, place: `${from.place}${pointer}`, base } : undefined;
}
