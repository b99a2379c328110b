import { createHash } from 'node:crypto';

/**
 * The name of the directory that is for this plugin, or this user, alone. Two texts never have the
 * same name, also where a disk does not tell upper from lower case, and no name is a path, hidden, or
 * longer than every disk takes.
 */
export function directoryNameOf(text: string): string {
  const escaped = [...Buffer.from(text)]
    .map((byte) => (PLAIN.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : hex(byte)))
    .join('');
  const name = escaped.startsWith('.') ? `%2e${escaped.slice(1)}` : escaped;
  if (name !== '' && name.length <= MAX_NAME && !LONE.test(text)) return name;
  // "~" is in no escaped name, so that nobody can choose an id that is another's digest.
  const digest = createHash('sha256').update(text, 'utf16le').digest('hex');
  return `${name.slice(0, 64)}~${digest}`;
}

const MAX_NAME = 120;
const PLAIN = /[a-z0-9._-]/;
/** Half a character: two such texts would come out alike. */
const LONE = /\p{Surrogate}/u;

function hex(byte: number): string {
  return `%${byte.toString(16).padStart(2, '0')}`;
}
