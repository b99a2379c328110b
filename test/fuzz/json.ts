import fc from 'fast-check';

/** Texts that would do something if anybody took them for code, and what they would do it to. */
export const CANARY = 'bulkheadCanary';

const run = `globalThis.${CANARY}=1`;

export const injections: fc.Arbitrary<string> = fc.constantFrom(
  `"+(${run})+"`,
  `'+(${run})+'`,
  `\`\${${run}}\``,
  `"];${run};["`,
  `"});${run};({"`,
  `*/${run}/*`,
  `\\"+(${run})//`,
  `\u2028${run}\u2028`,
  `\n${run}\n`,
  `a/${run}/`,
  `]${run}[`,
  `constructor.constructor('${run}')()`,
  `#/${run}`,
  '${' + run + '}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
);

const NAMES = ['a', 'b', 'c d', '0', '', 'length', 'é'];
const FORMATS = ['date-time', 'uri', 'regex', 'email', 'uuid', 'json-pointer'];
const REFERENCES = ['#', '#/$defs/a', '#/properties/b', '#a', 'https://a.test/b', '#/%22'];
const DIALECTS = [
  'http://json-schema.org/draft-07/schema#',
  'https://json-schema.org/draft/2019-09/schema',
  'https://json-schema.org/draft/2020-12/schema',
];
const TYPES = ['string', 'number', 'integer', 'object', 'array', 'null', 'boolean'];
const NOISE = [
  '$async',
  '$data',
  'nullable',
  'discriminator',
  'id',
  '$recursiveRef',
  'type',
  'items',
];

/**
 * JSON that is a schema, or nearly one, with texts in every place that are made to break out of
 * whatever is made from it.
 */
export function schemaLike(): fc.Arbitrary<unknown> {
  const name = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...NAMES) }, injections);
  const json = fc.oneof(fc.jsonValue({ maxDepth: 2 }), injections);
  const count = fc.integer({ min: 0, max: 5 });
  const rarely = (arbitrary: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
    fc.option(arbitrary, { freq: 1, nil: undefined });
  const pattern = fc.oneof(
    injections.filter(isPattern),
    fc.constantFrom('^a+$', '[a-z]', '\\p{L}'),
  );
  return fc.letrec((tie) => {
    const schema = tie('schema');
    const schemas = fc.array(schema, { minLength: 1, maxLength: 2 });
    const named = (key: fc.Arbitrary<string>) => fc.dictionary(key, schema, { maxKeys: 3 });
    const keyword = (key: string, value: fc.Arbitrary<unknown>) =>
      fc.tuple(fc.constant(key), value);
    const keywords = fc.oneof(
      keyword(
        'type',
        fc.oneof(fc.constantFrom(...TYPES), fc.uniqueArray(fc.constantFrom(...TYPES))),
      ),
      keyword('properties', named(name)),
      keyword('required', fc.uniqueArray(name, { maxLength: 3 })),
      keyword('additionalProperties', schema),
      keyword('patternProperties', named(pattern)),
      keyword('propertyNames', schema),
      keyword('dependentRequired', fc.dictionary(name, fc.uniqueArray(name), { maxKeys: 2 })),
      keyword('dependentSchemas', named(name)),
      keyword('items', schema),
      keyword('prefixItems', schemas),
      keyword('contains', schema),
      keyword('anyOf', schemas),
      keyword('not', schema),
      keyword('if', schema),
      keyword('then', schema),
      keyword('$defs', named(name)),
      keyword('$ref', fc.constantFrom(...REFERENCES)),
      keyword('$anchor', fc.constantFrom('a', 'b')),
      keyword('enum', fc.array(json, { minLength: 1, maxLength: 3 })),
      keyword('const', json),
      keyword('default', json),
      keyword('pattern', pattern),
      keyword('format', fc.oneof(fc.constantFrom(...FORMATS), injections)),
      keyword('minimum', fc.integer()),
      keyword('maxLength', count),
      keyword('multipleOf', fc.double({ min: 0.001, max: 10, noNaN: true })),
      keyword('uniqueItems', fc.boolean()),
      keyword('minProperties', count),
      keyword('unevaluatedProperties', schema),
      keyword('title', name),
      keyword('$comment', name),
    );
    const sparse = fc.array(keywords, { maxLength: 4 }).map((some) => Object.fromEntries(some));
    return {
      schema: fc.oneof({ depthSize: 'small', maxDepth: 4 }, fc.boolean(), sparse),
      root: fc
        .tuple(
          sparse,
          fc.record({
            $schema: rarely(fc.oneof(fc.constantFrom(...DIALECTS), injections)),
            $id: rarely(fc.oneof(fc.constantFrom('https://a.test/b', 'a'), injections)),
          }),
          fc.option(fc.tuple(fc.constantFrom(...NOISE), json), { freq: 4, nil: undefined }),
        )
        .map(([keys, ids, noise]) => ({
          ...keys,
          ...Object.fromEntries(Object.entries(ids).filter(([, value]) => value !== undefined)),
          ...(noise === undefined ? {} : { [noise[0]]: noise[1] }),
        })),
    };
  }).root;
}

function isPattern(text: string): boolean {
  try {
    return new RegExp(text, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
