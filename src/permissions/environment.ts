import { invalidPermission } from './invalid.js';
import type { PermissionKind } from './kind.js';

/** One variable of the host's environment, by name. There is no pattern that covers several. */
export const environment: PermissionKind<string> = {
  name: 'environment',
  written: 'env',
  parse: parseVariable,
  format: (variable) => variable,
  covers: (held, wanted) => held === wanted,
  attenuate: (held, limit) => (held === limit ? held : undefined),
  explain: (variable) => `Read the environment variable ${variable}.`,
};

/** The names that every system can set, and that a shell can read. */
const PORTABLE = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

function parseVariable(text: string): string {
  if (text.includes('*')) {
    throw invalidPermission(
      'environment',
      text,
      'a pattern would also cover secrets that nobody meant to share. Name each variable.',
    );
  }
  // As a key of a plain object this one would set the object's prototype.
  if (!PORTABLE.test(text) || text === '__proto__') {
    throw invalidPermission(
      'environment',
      text,
      'a variable has a name of letters, digits and underscores, like "API_KEY".',
    );
  }
  return text;
}
