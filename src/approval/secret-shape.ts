import type { Json } from '../../sandbox/wire/messages.js';

/**
 * Whether an input has text in the shape of a credential: a key with its prefix, a private key, or a variable
 * such as `API_KEY=…`. It may miss credentials of other shapes.
 */
export function mayHoldSecret(input: Json): boolean {
  if (typeof input === 'string') return SECRET.test(input);
  if (Array.isArray(input)) return input.some(mayHoldSecret);
  if (typeof input !== 'object' || input === null) return false;
  return Object.entries(input).some(
    ([key, value]) => (NAME.test(key) && value !== null && value !== '') || mayHoldSecret(value),
  );
}

const NAME =
  /pass(?:word|phrase)|secret|token|api[-_ ]?key|private[-_ ]?key|credential|authorization/i;

const SECRET = new RegExp(
  [
    String.raw`-----BEGIN [A-Z ]*PRIVATE KEY`,
    // Prefixes of well-known services.
    String.raw`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,}`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}`,
    String.raw`\bgithub_pat_\w{20,}`,
    String.raw`\bxox[abprs]-[\w-]{10,}`,
    String.raw`\bAKIA[0-9A-Z]{12,}`,
    String.raw`\bAIza[\w-]{20,}`,
    String.raw`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}`,
    // A variable or a member whose name says what it is.
    String.raw`(?:pass(?:word|phrase|wd)?|secret|token|api[-_ ]?key|access[-_ ]?key|private[-_ ]?key|credential|authorization)\w*["']?\s*[:=]\s*\S`,
    String.raw`\b(?:bearer|basic) [A-Za-z0-9+/_.=-]{12,}`,
    // A URL with a password.
    String.raw`\b\w+:\/\/[^\s/:@]+:[^\s/@]+@`,
  ].join('|'),
  'i',
);
