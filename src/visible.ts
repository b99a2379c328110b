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

/** Source code for display: like `visible`, except that line breaks and tabs stay. */
export function visibleCode(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(HIDDEN, (character) =>
      character === '\n' || character === '\t' ? character : escape(character),
    );
}

/**
 * The characters of a text that a person does not see, escaped, each once: controls other than line breaks and
 * tabs, direction marks, tags, and blanks that are not spaces. `BELONGS` lists what is no finding.
 */
export function hiddenIn(text: string): readonly string[] {
  const found = text.replaceAll(BELONGS, '').match(HIDDEN) ?? [];
  return [...new Set(found.filter((one) => !'\n\r\t'.includes(one)))].map(escape);
}

/**
 * What belongs to visible text: the three flags with tags, variation selectors and joiners of emoji, joiners of
 * scripts other than Latin, and the blanks of French and Chinese.
 */
const BELONGS = new RegExp(
  [
    String.raw`\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}`,
    String.raw`(?<=\p{Extended_Pictographic}\p{Emoji_Modifier}?)\ufe0f?(?:\u200d(?=\p{Extended_Pictographic}))?`,
    String.raw`(?<=[0-9#*])\ufe0f\u20e3`,
    String.raw`(?<=(?!\p{Script=Latin})[\p{L}\p{M}])[\u200c\u200d]`,
    String.raw`[\u00a0\u202f\u3000]`,
  ].join('|'),
  'gu',
);

const CONTROLS = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** In addition to controls: default-ignorable code points, and blanks (also those that are not `Zs`). */
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

/**
 * One argument of a command that a person may paste into a shell: on one line, and quoted if a shell would read
 * more in it than its text. A word that begins with `-` follows `--`, so that it is not an option.
 */
export function shellWord(text: string): string {
  const shown = visible(text);
  const word = PLAIN_WORD.test(shown) ? shown : `'${shown.replaceAll("'", String.raw`'\''`)}'`;
  // guard: pasted-word-quoted
  return shown.startsWith('-') ? `-- ${word}` : word;
}

/** What POSIX shells and PowerShell take as it is. */
const PLAIN_WORD = /^[\w./:+=,-][\w@./:+=,-]*$|^@[\w-]+\/[\w.-]+$/;

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
  const json = escapeJson(JSON.stringify(value, undefined, 2), HIDDEN);
  if (PLAIN_LATIN.test(json)) return json;
  return json.replaceAll(JSON_STRING, (quoted) =>
    RIGHT_TO_LEFT.test(quoted) ? `"${ISOLATE}${quoted.slice(1, -1)}${END_OF_ISOLATE}"` : quoted,
  );
}

const JSON_STRING = /"(?:[^"\\]|\\.)*"/gu;

// JSON.stringify does not escape U+0085, U+2028 and U+2029, which some readers treat as line breaks, and
// bidirectional marks, which reorder displayed text.
const JSON_CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Text of Latin letters alone, in which nothing is escaped or isolated. Found ten times as fast as `HIDDEN`. */
const PLAIN_LATIN = /^[\n -~\u00a1-\u00ac\u00ae-\u024f]*$/;

function escapeJson(json: string, characters: RegExp): string {
  if (PLAIN_LATIN.test(json)) return json;
  return json.replaceAll(characters, (character) =>
    character === '\n'
      ? character
      : Array.from(
          { length: character.length },
          (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
        ).join(''),
  );
}
