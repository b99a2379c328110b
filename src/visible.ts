/**
 * Text of a plugin as it may be shown: characters that steer a terminal or reorder what is read
 * (controls, bidi marks, zero-width and tag characters, lone surrogates) appear as escapes.
 */
export function visible(text: string): string {
  return text.replaceAll(UNSEEN, escape);
}

/** As `visible`, keeping line breaks and tabs. */
export function visibleLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNSEEN, (character) =>
      character === '\n' || character === '\t' ? character : escape(character),
    );
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function escape(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value as one line of JSON. The escapes are JSON's own, so what is parsed is unchanged. */
export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** A value as indented JSON for people. */
export function jsonLines(value: unknown): string {
  return escapeJson(JSON.stringify(value, undefined, 2));
}

// JSON.stringify leaves U+0085, U+2028 and U+2029 alone, where some readers break lines, and the
// bidi marks, with which text on a terminal can lie.
function escapeJson(json: string): string {
  return json.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\n'
      ? character
      : Array.from(
          { length: character.length },
          (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
        ).join(''),
  );
}
