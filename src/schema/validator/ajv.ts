import core, { type Options } from 'ajv/dist/core.js';
import applicatorVocabulary from 'ajv/dist/vocabularies/applicator/index.js';
import coreVocabulary from 'ajv/dist/vocabularies/core/index.js';
import dynamicVocabulary from 'ajv/dist/vocabularies/dynamic/index.js';
import formatVocabulary from 'ajv/dist/vocabularies/format/index.js';
import { contentVocabulary, metadataVocabulary } from 'ajv/dist/vocabularies/metadata.js';
import nextVocabulary from 'ajv/dist/vocabularies/next.js';
import unevaluatedVocabulary from 'ajv/dist/vocabularies/unevaluated/index.js';
import validationVocabulary from 'ajv/dist/vocabularies/validation/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { SchemaDialect } from '../dialect.js';
import { avoidRejection } from './generated.js';
import { makePattern } from './patterns.js';

/**
 * An ajv, put together from its vocabularies: ajv's own classes would bring the
 * meta-schemas of their dialects along, and compile them before the first schema.
 */
export function makeAjv(dialect: SchemaDialect): core.default {
  const ajv = new core.default(dialect === 'draft-07' ? OPTIONS : { ...OPTIONS, ...SINCE_2019 });
  if (dialect !== 'draft-07') ajv.addVocabulary(dynamicVocabulary.default);
  ajv.addVocabulary(coreVocabulary.default);
  ajv.addVocabulary(validationVocabulary.default);
  ajv.addVocabulary(applicatorVocabulary.default(dialect === '2020-12'));
  if (dialect !== 'draft-07') {
    ajv.addVocabulary(nextVocabulary.default);
    ajv.addVocabulary(unevaluatedVocabulary.default);
  }
  ajv.addVocabulary(formatVocabulary.default);
  ajv.addVocabulary(metadataVocabulary);
  ajv.addVocabulary(contentVocabulary);
  // Draft-04's name for `$id`, over which ajv throws; here it is a keyword without meaning.
  ajv.removeKeyword('id');
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  return ajv;
}

const OPTIONS: Options = {
  // Schemas in the wild have keywords, formats and combinations that strict mode refuses.
  strict: false,
  logger: false,
  // What a schema is was checked; its keywords' own types are checked as each is compiled.
  meta: false,
  validateSchema: false,
  useDefaults: true,
  // `required: ["toString"]` asks for a property of the input, not of every object's prototype.
  ownProperties: true,
  // A large schema that is referred to a hundred times is compiled once, not a hundred times over.
  inlineRefs: false,
  code: { process: avoidRejection, regExp: makePattern },
};

const SINCE_2019: Options = { dynamicRef: true, next: true, unevaluated: true };
