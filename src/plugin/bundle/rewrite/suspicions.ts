import type { Token } from 'acorn';
import type { Edit } from './edits.js';

/**
 * The places where SES's evaluator would refuse the text, each with the character that has to be
 * written differently. SES looks for them with regular expressions that know no syntax: strings,
 * comments and property names count too. These find a superset of what SES's own find, and of what
 * our compartment refuses besides (`import.source(`).
 */
export interface Suspicion {
  /** Offset of the character to change: the first of `<!--`, of `-->`, of `import`, of `eval`. */
  readonly at: number;
  readonly kind: 'html comment' | 'import' | 'eval';
}

const PATTERNS: readonly (readonly [Suspicion['kind'], RegExp])[] = [
  // Looked ahead, so that `<!-->` counts as both.
  ['html comment', /<(?=!--)|-(?=->)/g],
  ['import', /\bimport(?=\s*(?:[(.]|\/[/*]))/g],
  ['eval', /(?<!\.)\beval(?=\s*\()/g],
];

export function findSuspicions(text: string): Suspicion[] {
  return PATTERNS.flatMap(([kind, pattern]) =>
    [...text.matchAll(pattern)].map(({ index }) => ({ at: index, kind })),
  ).toSorted((a, b) => a.at - b.at);
}

/** The token that holds an offset, by bisection. */
export function tokenAt(tokens: readonly Token[], offset: number): Token | undefined {
  let low = 0;
  let high = tokens.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const token = tokens[middle];
    if (token === undefined || token.start > offset) high = middle - 1;
    else if (token.end <= offset) low = middle + 1;
    else return token;
  }
  return undefined;
}

/** Writes one character of a string, or of a template whose raw text nobody sees, as an escape. */
export function escapeInLiteral(text: string, at: number): Edit {
  const escape = `\\x${text.charCodeAt(at).toString(16).padStart(2, '0')}`;
  // `\i` is a way to write `i`: the backslash goes too, or it would escape ours.
  const start = precedingBackslashes(text, at) % 2 === 1 ? at - 1 : at;
  return { start, end: at + 1, text: escape };
}

/** Writes the first letter of a name as an escape: the same name, to everyone but a text search. */
export function escapeInName(text: string, at: number): Edit {
  const escape = `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return { start: at, end: at + 1, text: escape };
}

/** A string literal of the same value that holds nothing suspicious. */
export function quote(value: string): string {
  const literal = JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) =>
    character === '\u2028' ? '\\u2028' : '\\u2029',
  );
  let safe = '';
  let at = 0;
  for (const suspicion of findSuspicions(literal)) {
    const edit = escapeInLiteral(literal, suspicion.at);
    safe += literal.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return safe + literal.slice(at);
}

function precedingBackslashes(text: string, at: number): number {
  let count = 0;
  while (text[at - 1 - count] === '\\') count += 1;
  return count;
}
