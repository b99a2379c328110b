import { makeScrubber } from '../brokers/network/secrets/filter.js';

/** Shorter values are not credentials, and would be found in ordinary words. */
const MIN_CHARACTERS = 8;

/**
 * Removes our credentials from a server's text, in every encoding: a server that echoes the headers of a
 * request would otherwise give them to the model. Each value is removed with and without its scheme
 * (`Bearer …`).
 */
export function makeCredentialScrubber(values: readonly string[]): (text: string) => string {
  const secrets = [...new Set(values.flatMap((value) => [value, value.replace(/^\w+ /, '')]))]
    .filter((value) => value.length >= MIN_CHARACTERS)
    .map((value) => ({
      name: 'credential',
      placeholder: '[credential]',
      value,
      boundTo: () => false,
      places: [],
    }));
  return secrets.length === 0 ? (text) => text : makeScrubber(secrets).text;
}
