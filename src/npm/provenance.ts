import { isRecord } from '../../sandbox/wire/json.js';

/** What npm found of the attestations of an installed tree. */
export type Attested =
  /** npm verified all that there are. */
  | { readonly outcome: 'verified' }
  /** Nothing is known: npm could not reach what it verifies with. */
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'invalid'; readonly packages: readonly string[] };

/**
 * Reads the answer of `npm audit signatures --json`. npm verifies the attestations of all packages with
 * Sigstore; it exits with 1 if one is invalid. `text` is empty if npm could not verify anything.
 */
export function readSignatures(text: string): Attested {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { outcome: 'unknown' };
  }
  const invalid: unknown = isRecord(answer) ? answer['invalid'] : undefined;
  // guard: attestations-verified
  if (!Array.isArray(invalid)) return { outcome: 'unknown' };
  if (invalid.length === 0) return { outcome: 'verified' };
  return {
    outcome: 'invalid',
    packages: invalid.slice(0, 3).map((one) => {
      const { name, version } = isRecord(one) ? one : {};
      return `${String(name)}@${String(version)}`.slice(0, 200);
    }),
  };
}
