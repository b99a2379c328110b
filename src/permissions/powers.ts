import { invalidPermission } from './invalid.js';
import type { PermissionKind } from './kind.js';
import { spindleWords } from './spindle-words.js';

/**
 * What the host itself lends under a name of its choice: a conversation store, a model, one of the
 * permissions that a plugin's own system knows (`generation`). Names stand for nothing but
 * themselves: what a power does, the host says where it defines it.
 */
export const powers: PermissionKind<string> = {
  name: 'powers',
  written: 'powers',
  parse: parseName,
  format: (name) => name,
  covers: (held, wanted) => held === wanted,
  attenuate: (held, limit) => (held === limit ? held : undefined),
  explain: (name) => {
    const words = spindleWords.get(name);
    return words === undefined ? `Use ${name}, which the host provides.` : words;
  },
};

/** Whether a text can be the name of a power. */
export function isPowerName(text: string): boolean {
  return NAME.test(text);
}

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

function parseName(text: string): string {
  if (text.includes('*')) {
    throw invalidPermission(
      'powers',
      text,
      'a pattern would also cover what the host defines later. Name each power.',
    );
  }
  if (!isPowerName(text)) {
    throw invalidPermission(
      'powers',
      text,
      'a power has a name of at most 64 letters, digits, "_", "." and "-" that begins with a letter, like "conversations".',
    );
  }
  return text;
}
