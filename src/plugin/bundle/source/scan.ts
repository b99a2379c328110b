/**
 * Whether a source text certainly holds nothing that esbuild would take for a reason to look at
 * the disk by itself. There are two such things, and both reach the whole disk of the host:
 *
 * - `import('./a/' + b)`, `require('./a/' + b)` and `module.require('./a/' + b)`: esbuild walks the
 *   directory for what matches;
 * - `//# sourceMappingURL=file:///…`: esbuild reads the file.
 *
 * This is a search in the text, so that most files need not be parsed twice: whatever it does not
 * know to be harmless is parsed.
 */
export function isPlain(text: string): boolean {
  return (
    !text.includes('sourceMappingURL=') &&
    !ESCAPED_LETTER.test(text) &&
    everyMatch(text, IMPORT_WORD, PLAIN_IMPORT) &&
    everyMatch(text, REQUIRE_WORD, PLAIN_REQUIRE) &&
    everyMatch(text, MODULE_WORD, PLAIN_MODULE)
  );
}

/** `\u0072equire` is `require`. In a string it is nothing, but that takes a parser to know. */
const ESCAPED_LETTER = /\\u(?:\{0*[4-7][0-9a-fA-F]\}|00[4-7][0-9a-fA-F])/;

const IMPORT_WORD = /import/g;
const REQUIRE_WORD = /require/g;
const MODULE_WORD = /module/g;

/** A declaration, `import.meta`, the import of a name that stands there, or part of a longer word. */
const PLAIN_IMPORT = /\s*(?:[\w$"'{*,;:)]|\.\s*meta\b|\(\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\))/y;
/** The require of a name that stands there, the start of a longer word, or no call of any kind. */
const PLAIN_REQUIRE = /[\w$]|["'=,;.]|\s*\(\s*(?:"[^"\\\n]*"|'[^'\\\n]*')\s*\)/y;
/**
 * The start of a longer word, `module.exports`, the end of a string (a file's name, mostly), or a word
 * of prose. Another member may be `require`, however it is spelled: `module['req' + 'uire']`.
 */
const PLAIN_MODULE = /[\w$]|\s*\.\s*exports\b|(?:\.[cm]?[jt]sx?)?["']|[,;]|\s+[A-Za-z]/y;

function everyMatch(text: string, word: RegExp, plain: RegExp): boolean {
  for (const match of text.matchAll(word)) {
    plain.lastIndex = match.index + match[0].length;
    if (!plain.test(text)) return false;
  }
  return true;
}
