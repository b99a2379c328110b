/**
 * Makes code that a plugin generated acceptable to SES, which refuses every text that contains `<!--`
 * or `-->`, also in a string. In a string, the mark is written with an escape: the value is the same.
 * `n-->0` on a line without quotes, slashes and backslashes has two operators, and gets a space.
 * Other marks stay, and SES refuses them: only a parser could tell what they are.
 *
 * SES checks the result, so a wrong guess here cannot hide a comment. It can only be a SyntaxError.
 */
export function replaceHtmlComments(source: string): string {
  if (!source.includes('-->') && !source.includes('<!--')) return source;
  if (source.length > MAX_CHARACTERS) return source;
  const hasTemplates = source.includes('`');
  return source
    .split('\n')
    .map((line, at, lines) =>
      MARK.test(line) ? replaceIn(line, !hasTemplates && isPlain(line, lines[at - 1])) : line,
    )
    .join('\n');
}

const MAX_CHARACTERS = 1_000_000;
const MARK = /<!--|-->/;

/** Whether no string, comment or regular expression can be in the line. At its start, `-->` is a comment. */
function isPlain(line: string, previous = ''): boolean {
  return !/["'/\\]/.test(line) && !previous.endsWith('\\');
}

function replaceIn(line: string, plain: boolean): string {
  let text = '';
  /** The quote of the string at this place. */
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line.charAt(at);
    const mark = line.startsWith('<!--', at) || line.startsWith('-->', at);
    if (mark && quote !== '') {
      text += character === '<' ? '\\x3c' : '\\x2d';
    } else if (mark && plain && character === '-' && text.trim() !== '') {
      text += '-- ';
      at += 1;
    } else if (character === '\\' && quote !== '') {
      at += 1;
      text += character + line.charAt(at);
    } else {
      if (quote === '' ? `"'`.includes(character) : character === quote) {
        quote = quote === '' ? character : '';
      }
      text += character;
    }
  }
  return text;
}
