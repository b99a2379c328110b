/**
 * Untrusted text for display: escapes characters that control a terminal, reorder text or are invisible
 * (controls, bidirectional marks, every default-ignorable code point, blanks other than the space, lone
 * surrogates).
 */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, escape);
}

/** Like `visible`, with right-to-left text isolated, so that it does not reorder what surrounds it. */
export function isolated(text: string): string {
  const shown = visible(text);
  // guard: approval-text-isolated
  return RIGHT_TO_LEFT.test(shown) ? `${ISOLATE}${shown}${END_OF_ISOLATE}` : shown;
}

/** Like `visible`, except that line breaks stay. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(visible).join('\n');
}

/**
 * The output of a tool for display: escapes only what controls a terminal or reorders text. Line breaks,
 * tabs, emoji and blanks stay.
 */
export function visibleLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROLS, (character) =>
      character === '\n' || character === '\t' ? character : escape(character),
    );
}

const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Besides controls: default-ignorable code points, and blanks (also those that are not `Zs`). */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}\u{16fe4}]|(?! )\p{Zs}/gu;

/** The blocks of right-to-left scripts. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const ISOLATE = '\u2068';
const END_OF_ISOLATE = '\u2069';

function escape(character: string): string {
  const named = NAMED[character];
  if (named !== undefined) return named;
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A value as one line of JSON. Uses JSON's escapes, so the parsed value is the same. */
export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value), JSON_CONTROLS)}\n`;
}

/** A value as indented JSON for display. Uses JSON's escapes, so the parsed value is the same. */
export function jsonLines(value: unknown): string {
  return escapeJson(JSON.stringify(value, undefined, 2), JSON_CONTROLS);
}

/**
 * A value as indented JSON in a question of an approval: escapes what `visible` escapes, and isolates each
 * string with right-to-left text.
 */
export function isolatedJson(value: unknown): string {
  return escapeJson(JSON.stringify(value, undefined, 2), HIDDEN).replaceAll(JSON_STRING, (quoted) =>
    RIGHT_TO_LEFT.test(quoted) ? `"${ISOLATE}${quoted.slice(1, -1)}${END_OF_ISOLATE}"` : quoted,
  );
}

const JSON_STRING = /"(?:[^"\\]|\\.)*"/gu;

// JSON.stringify does not escape U+0085, U+2028 and U+2029, which some readers treat as line breaks, and
// bidirectional marks, which reorder displayed text.
const JSON_CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function escapeJson(json: string, characters: RegExp): string {
  return json.replaceAll(characters, (character) =>
    character === '\n'
      ? character
      : Array.from(
          { length: character.length },
          (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
        ).join(''),
  );
}
