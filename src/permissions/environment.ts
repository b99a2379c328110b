import { type PermissionKind, invalidPermission } from './kind.js';

/** One environment variable of the host, by name. Patterns are not supported. */
export const environment: PermissionKind<string> = {
  name: 'env',
  parse: parseVariable,
  format: (variable) => variable,
  covers: (held, wanted) => held === wanted,
  attenuate: (held, limit) => (held === limit ? held : undefined),
  explain: (variable) => `Read the environment variable ${variable}.`,
};

/** Names that every system and shell supports. */
const PORTABLE = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;

function parseVariable(text: string): string {
  if (text.includes('*')) {
    throw invalidPermission('env', text, 'a pattern could also cover secrets. Name each variable.');
  }
  // As a key of a plain object, `__proto__` would set the prototype.
  if (!PORTABLE.test(text) || text === '__proto__') {
    throw invalidPermission(
      'env',
      text,
      'a variable has a name of letters, digits and underscores, like "API_KEY".',
    );
  }
  return text;
}
