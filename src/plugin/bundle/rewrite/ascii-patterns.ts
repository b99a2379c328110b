import type { Edit } from './edits.js';
import { type Walk, enterAll } from './parse.js';

/**
 * Writes the characters of regular expressions that are not ASCII as escapes. esbuild does so everywhere else, but for
 * tagged templates. A text with one such character takes twice the memory in V8, and more time to read and to compile.
 */
export function escapePatterns(text: string, walk: Walk): readonly Edit[] {
  const edits: Edit[] = [];
  enterAll(walk, (node) => {
    if (node.type !== 'Literal' || node.regex === undefined || node.regex === null) return;
    const literal = text.slice(node.start, node.end);
    for (const match of literal.matchAll(WIDE)) {
      const [characters] = match;
      const at = node.start + match.index;
      // Without the flags u and v, `\é` is `é`, and `\\u00e9` would be another pattern.
      const start = isEscaped(literal, match.index) ? at - 1 : at;
      edits.push({ start, end: at + characters.length, text: escapeUnits(characters) });
    }
  });
  return edits;
}

const WIDE = /[^\x00-\x7f]+/g;

/** Whether an odd number of backslashes stands before the place. */
function isEscaped(literal: string, at: number): boolean {
  let first = at;
  while (literal[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

/** Two escapes for a pair of surrogates, which means the same with and without the flag u. Packages join sources. */
function escapeUnits(characters: string): string {
  let escaped = '';
  for (let at = 0; at < characters.length; at += 1) {
    escaped += `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}
