import { isRecord } from '../../../../sandbox/wire/json.js';
import { makeScrubber } from './filter.js';

export interface CredentialOptions {
  /** Stands in the place of a value, in brackets. Default: `credential`. */
  readonly name?: string;
  /** Shorter values are not credentials, and would be found in ordinary words. Default: 8. */
  readonly minCharacters?: number;
}

/**
 * Removes the host's own credentials from a text, in every encoding: a server that echoes the headers of a
 * request would otherwise give them away. Each value is removed with and without its scheme
 * (`Bearer …`).
 */
export function makeCredentialScrubber(
  values: readonly string[],
  { name = 'credential', minCharacters = 8 }: CredentialOptions = {},
): (text: string) => string {
  const secrets = credentialsOf(values, minCharacters).map((value) => ({
    name,
    placeholder: `[${name}]`,
    value,
    boundTo: () => false,
    places: [],
  }));
  return secrets.length === 0 ? (text) => text : makeScrubber(secrets).text;
}

/** Scrubs every text of a JSON value, names of fields included. */
export function scrubJson(value: unknown, scrub: (text: string) => string): unknown {
  if (typeof value === 'string') return scrub(value);
  if (Array.isArray(value)) return value.map((item: unknown) => scrubJson(item, scrub));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [scrub(name), scrubJson(field, scrub)]),
  );
}

/** Each value once, with and without its scheme. */
export function credentialsOf(values: readonly string[], minCharacters: number): readonly string[] {
  return [...new Set(values.flatMap((value) => [value, value.replace(/^\w+ /, '')]))].filter(
    (value) => value.length >= minCharacters,
  );
}
