import type * as JsonParser from 'jsonc-parser';
import { messageOf } from '../errors.js';
import { ownRequire } from '../own-file.js';

export type JsonText =
  | { readonly ok: true; readonly value: unknown }
  /** `line 3, column 5: is not JSON: a comma is missing before this` */
  | { readonly ok: false; readonly problem: string };

/** Parses the JSON of a file that a person wrote, which may begin with a byte order mark. */
export function parseJsonText(text: string): JsonText {
  const plain = text.replace(/^\uFEFF/, '');
  try {
    return { ok: true, value: JSON.parse(plain) };
  } catch (error) {
    return { ok: false, problem: problemIn(plain) ?? `is not JSON: ${messageOf(error)}` };
  }
}

/** The place with which a problem of `parseJsonText` begins. */
export function placeOfProblem(
  problem: string,
): { readonly line: number; readonly column: number; readonly message: string } | undefined {
  const [, line, column, message = ''] =
    /^(?:manifest: )?line (\d+), column (\d+): (.*)$/s.exec(problem) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column), message };
}

/** The first mistake, which Node's parser reports without a place. */
function problemIn(text: string): string | undefined {
  // Loaded on the first mistake.
  const { visit, printParseErrorCode }: typeof JsonParser = ownRequire()('jsonc-parser');
  let problem: string | undefined;
  visit(
    text,
    {
      onError: (code, offset, _length, line, column) => {
        const name = printParseErrorCode(code);
        const at = `line ${line + 1}, column ${column + 1}`;
        problem ??= `${at}: is not JSON: ${offset >= text.length ? AT_END : (WORDS[name] ?? name)}`;
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
  return problem;
}

const AT_END = 'the text ends too early; a bracket or a quote is missing';

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is neither a text in double quotes, a number, true, false nor null',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected:
    'a name in double quotes is missing here; the last member has no comma after it',
  ValueExpected: 'a value is missing here; the last value has no comma after it',
  ColonExpected: 'a colon is missing before this',
  CommaExpected: 'a comma is missing before this',
  CloseBraceExpected: 'a "}" is missing before this',
  CloseBracketExpected: 'a "]" is missing before this',
  EndOfFileExpected: 'there is more text after the end',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'the closing quote is missing',
  InvalidUnicode: 'a \\u needs four hexadecimal digits',
  InvalidEscapeCharacter: 'this escape does not exist',
  InvalidCharacter: 'a text has no line break or control character; write \\n',
};
