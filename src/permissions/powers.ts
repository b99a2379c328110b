import { type PermissionKind, invalidPermission } from './kind.js';
import { powerWords } from './power-words.js';

/**
 * Functions that the host provides under names of its choice: a conversation store, a model, or a
 * permission of the plugin's own system (`generation`). The host defines what a power does.
 */
export const powers: PermissionKind<string> = {
  name: 'powers',
  parse: parseName,
  format: (name) => name,
  covers: (held, wanted) => held === wanted,
  attenuate: (held, limit) => (held === limit ? held : undefined),
  explain: (name) => {
    const words = powerWords.get(name);
    return words === undefined ? `Use ${name}, which the host provides.` : words;
  },
};

/** Whether the text is a valid name of a power. */
export function isPowerName(text: string): boolean {
  return NAME.test(text);
}

const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

function parseName(text: string): string {
  if (text.includes('*')) {
    throw invalidPermission(
      'powers',
      text,
      'a pattern would also cover powers that the host defines later. Name each power.',
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
