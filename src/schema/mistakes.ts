import { isRecord } from '../../sandbox/wire/json.js';
import type { Json, JsonObject } from '../../sandbox/wire/messages.js';
import { didYouMean } from '../did-you-mean.js';
import { isList, subschemas } from './draft.js';

/** A mistake in a JSON Schema that the standard allows or that only a compiler finds. */
export interface SchemaMistake {
  /** A JSON pointer, `#` for the whole schema. */
  readonly place: string;
  /** As a sentence without the place: `"objct" is not a type. Did you mean "object"?` */
  readonly message: string;
  /** Whether no input can be checked with the schema. */
  readonly fatal: boolean;
}

const MAX_MISTAKES = 20;

/** Finds unknown types, misspelt keywords, and keywords with a value of the wrong kind. */
export function findSchemaMistakes(root: JsonObject): readonly SchemaMistake[] {
  const mistakes: SchemaMistake[] = [];
  const pending: { readonly schema: JsonObject; readonly place: string }[] = [
    { schema: root, place: '#' },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { schema, place } = next;
    for (const [keyword, value] of Object.entries(schema)) {
      mistakes.push(...mistakesOf(keyword, value, place));
    }
    mistakes.push(...missingProperties(schema, place));
    for (const child of subschemas(schema)) {
      pending.push({ schema: child.schema, place: place + child.at });
    }
    if (mistakes.length > MAX_MISTAKES) break;
  }
  return mistakes.slice(0, MAX_MISTAKES);
}

function mistakesOf(keyword: string, value: Json, at: string): readonly SchemaMistake[] {
  const place = `${at}/${keyword}`;
  if (keyword === 'type') {
    const types = isList(value) ? value : [value];
    return types.flatMap((type): SchemaMistake[] =>
      TYPES.some((known) => known === type)
        ? []
        : [{ place, message: `${shown(type)} is not a type.${hint(type, TYPES)}`, fatal: true }],
    );
  }
  const kind = KINDS.get(keyword);
  if (kind !== undefined && !isOfKind(kind, value)) {
    return [{ place, message: `must be ${WORDS[kind]}.`, fatal: true }];
  }
  if (kind !== undefined || KNOWN.has(keyword)) return [];
  const meant = didYouMean(keyword, [...KINDS.keys(), ...KNOWN]);
  return meant === undefined
    ? []
    : [{ place, message: `is not a keyword. Did you mean "${meant}"?`, fatal: false }];
}

/** What `required` has that is no name, near to a property and none, or refused by the same schema. */
function missingProperties(schema: JsonObject, at: string): readonly SchemaMistake[] {
  const { required, properties } = schema;
  if (!isList(required) || !isRecord(properties)) return [];
  const names = Object.keys(properties);
  const isClosed =
    schema['additionalProperties'] === false && schema['patternProperties'] === undefined;
  return required.flatMap((name): SchemaMistake[] => {
    const mistake = (message: string): SchemaMistake[] => [
      { place: `${at}/required`, message, fatal: false },
    ];
    if (typeof name !== 'string') return mistake(`${shown(name)} is not the name of a property.`);
    if (names.includes(name)) return [];
    const meant = didYouMean(name, names);
    if (meant !== undefined) {
      return mistake(`${shown(name)} is not a property. Did you mean "${meant}"?`);
    }
    return isClosed ? mistake(`${shown(name)} is not a property, so no input fits.`) : [];
  });
}

type Kind = 'schemas' | 'list' | 'count' | 'text' | 'number';

const WORDS: Readonly<Record<Kind, string>> = {
  schemas: 'an object of schemas',
  list: 'a list that is not empty',
  count: 'a whole number from 0',
  text: 'a text',
  number: 'a number',
};

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ['properties', 'schemas'],
  ['patternProperties', 'schemas'],
  ['$defs', 'schemas'],
  ['definitions', 'schemas'],
  ['enum', 'list'],
  ['anyOf', 'list'],
  ['allOf', 'list'],
  ['oneOf', 'list'],
  ['minLength', 'count'],
  ['maxLength', 'count'],
  ['minItems', 'count'],
  ['maxItems', 'count'],
  ['minProperties', 'count'],
  ['maxProperties', 'count'],
  ['pattern', 'text'],
  ['format', 'text'],
  ['description', 'text'],
  ['title', 'text'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['multipleOf', 'number'],
]);

/** The other keywords of all drafts. `required` may be `true` in draft-03. */
const KNOWN: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$ref',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$comment',
  'type',
  'required',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
  'const',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
  'nullable',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'uniqueItems',
  'minContains',
  'maxContains',
  'contentEncoding',
  'contentMediaType',
  'discriminator',
  'id',
  '$vocabulary',
]);

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

function isOfKind(kind: Kind, value: Json): boolean {
  switch (kind) {
    case 'schemas':
      return isRecord(value) && Object.values(value).every(isSchema);
    case 'list':
      return isList(value) && value.length > 0;
    case 'count':
      return Number.isInteger(value) && Number(value) >= 0;
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number';
  }
}

function isSchema(value: Json): boolean {
  return typeof value === 'boolean' || isRecord(value);
}

function shown(value: Json): string {
  return JSON.stringify(value).slice(0, 80);
}

function hint(value: Json, candidates: readonly string[]): string {
  const meant = typeof value === 'string' ? didYouMean(value, candidates) : undefined;
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}
