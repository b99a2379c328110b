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
  const credentials = credentialsOf(values, minCharacters);
  // A text that is JSON may stand in a text of JSON, with each escape escaped again.
  const written = credentials.map((value) => JSON.stringify(value).slice(1, -1));
  const secrets = [...new Set([...credentials, ...written])].map((value) => ({
    name,
    placeholder: `[${name}]`,
    value,
    boundTo: () => false,
    places: [],
  }));
  return secrets.length === 0 ? (text) => text : makeScrubber(secrets).text;
}

/** Makes a scrubber only if the values changed: that takes milliseconds, and calls are frequent. */
export function makeScrubberCache(): (values: readonly string[]) => (text: string) => string {
  let key = '';
  let scrub: ((text: string) => string) | undefined;
  return (values) => {
    const wanted = JSON.stringify(values);
    if (scrub === undefined || wanted !== key) scrub = makeCredentialScrubber(values);
    key = wanted;
    return scrub;
  };
}

/**
 * Scrubs a JSON value, names of fields included, by `text`, which is the value as JSON. The text is read
 * once: a value may have very many short texts. Throws if a credential is a part of a number.
 */
export function scrubJson(value: unknown, text: string, scrub: (text: string) => string): unknown {
  const clean = scrub(text);
  if (clean === text) return value;
  try {
    return JSON.parse(clean);
  } catch {
    throw new Error('its answer has a credential in a place from which it cannot be taken out');
  }
}

/** Each value once, with and without its scheme. */
export function credentialsOf(values: readonly string[], minCharacters: number): readonly string[] {
  return [...new Set(values.flatMap((value) => [value, value.replace(/^\w+ /, '')]))].filter(
    (value) => value.length >= minCharacters,
  );
}
