import { fullFormats } from 'ajv-formats/dist/formats.js';
import core, { type Options } from 'ajv/dist/core.js';
import applicatorVocabulary from 'ajv/dist/vocabularies/applicator/index.js';
import coreVocabulary from 'ajv/dist/vocabularies/core/index.js';
import dynamicVocabulary from 'ajv/dist/vocabularies/dynamic/index.js';
import formatVocabulary from 'ajv/dist/vocabularies/format/index.js';
import { contentVocabulary, metadataVocabulary } from 'ajv/dist/vocabularies/metadata.js';
import nextVocabulary from 'ajv/dist/vocabularies/next.js';
import unevaluatedVocabulary from 'ajv/dist/vocabularies/unevaluated/index.js';
import validationVocabulary from 'ajv/dist/vocabularies/validation/index.js';
import type { SchemaDraft } from '../draft.js';

/**
 * An ajv built from its vocabularies. ajv's own classes would include the meta-schemas of their
 * drafts, and compile them before the first schema.
 */
export function makeAjv(draft: SchemaDraft): core.default {
  const ajv = new core.default(draft === 'draft-07' ? OPTIONS : { ...OPTIONS, ...SINCE_2019 });
  if (draft !== 'draft-07') ajv.addVocabulary(dynamicVocabulary.default);
  ajv.addVocabulary(coreVocabulary.default);
  ajv.addVocabulary(validationVocabulary.default);
  ajv.addVocabulary(applicatorVocabulary.default(draft === '2020-12'));
  if (draft !== 'draft-07') {
    ajv.addVocabulary(nextVocabulary.default);
    ajv.addVocabulary(unevaluatedVocabulary.default);
  }
  ajv.addVocabulary(formatVocabulary.default);
  ajv.addVocabulary(metadataVocabulary);
  ajv.addVocabulary(contentVocabulary);
  // Draft-04's name for `$id`. ajv throws on it; here it is ignored.
  ajv.removeKeyword('id');
  for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  return ajv;
}

/**
 * Compiles the regular expressions of a schema. The standard requires Unicode mode, but many authors
 * write patterns like `[\w-.]`, which are only valid without it.
 */
const makePattern: PatternMaker = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  // ajv uses this name only in code that it writes to a file.
  { code: 'makePattern' },
);

type PatternMaker = ((pattern: string, flags: string) => RegExp) & { code: string };

const OPTIONS: Options = {
  // Schemas in the wild have keywords, formats and combinations that strict mode refuses.
  strict: false,
  logger: false,
  // `checkSchema` has checked the schema; ajv checks each keyword's type when it compiles it.
  meta: false,
  validateSchema: false,
  useDefaults: true,
  // `required: ["toString"]` requires a property of the input, not of its prototype.
  ownProperties: true,
  // Compiles a large schema once, not once for each reference to it.
  inlineRefs: false,
  code: { process: avoidRejection, regExp: makePattern },
};

const SINCE_2019: Options = { dynamicRef: true, next: true, unevaluated: true };

/**
 * Rewrites code that ajv generated so that a compartment accepts it. A compartment refuses `import(`,
 * `import.`, `eval(` and the marks of an HTML comment anywhere in the text. ajv's code contains them
 * only inside string literals (names and constants from the schema), so an escape is equivalent.
 */
function avoidRejection(code: string): string {
  return code
    .replaceAll(/\bimpor(?=t\s*[(/.])t/g, 'impor\\u0074')
    .replaceAll(/\beva(?=l\s*\()l/g, 'eva\\u006c')
    .replaceAll(OPENING, '\\u003c!--')
    .replaceAll(CLOSING, '--\\u003e');
}

// Concatenated, because SES evaluates this file too.
const OPENING = ['<', '!--'].join('');
const CLOSING = ['--', '>'].join('');
