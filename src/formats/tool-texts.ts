import { cutText } from './quote.js';

/** In characters, as the next one. */
const MAX_NAME = 200;
/** Models read every description in every turn; useful ones are a tenth of it. */
const MAX_DESCRIPTION = 16 * 1024;

/** The name of a tool for people, in a member of its definition. Undefined, with a report, without one. */
export function readToolTitle(
  value: unknown,
  field: string,
  report: (problem: string) => void,
): string | undefined {
  return readText(value, field, MAX_NAME, report);
}

/** What a tool says that it does. Undefined, with a report, without a text. */
export function readDescription(
  value: unknown,
  report: (problem: string) => void,
): string | undefined {
  return readText(value, 'description', MAX_DESCRIPTION, report);
}

function readText(
  value: unknown,
  field: string,
  maxCharacters: number,
  report: (problem: string) => void,
): string | undefined {
  if (typeof value !== 'string' || value === '') {
    report(`${field}: is missing`);
    return undefined;
  }
  if (value.length > maxCharacters) report(`${field}: is cut to ${maxCharacters} characters`);
  return cutText(value, maxCharacters);
}
