/** Finds one text, in all its spellings, in texts that may be parts of longer ones. */
export interface Finder {
  over(text: Searched): Search;
}

/** A text, and its lower case with the same length. */
export interface Searched {
  readonly text: string;
  readonly lower: string;
}

export interface Search {
  /** The first full match at or after `from`, which must not decrease. */
  next(from: number): Span | undefined;
  /** The first index at or after `from` at which a match may begin that the text's end cuts off. */
  begun(from: number): number | undefined;
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

export function searched(text: string): Searched {
  const lower = text.toLowerCase();
  // In lower case, `İ` becomes two characters and would shift every later place.
  if (lower.length === text.length) return { text, lower };
  return { text, lower: text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase()) };
}

export function makeFinder({ units, caseless }: Spelling): Finder {
  const opening = new RegExp(units.slice(0, 3).map(alternatives).join(''), 'g');
  const initials = new Set(units[0]?.map((way) => way[0]));
  const longest = units.reduce((sum, unit) => sum + Math.max(...unit.map((way) => way.length)), 0);

  return {
    over: (given) => {
      const text = caseless ? given.lower : given.text;
      // Cached until the search has passed it, because texts may contain many secrets.
      let found: Span | undefined | 'unknown' = 'unknown';
      return {
        next: (from) => {
          if (found === 'unknown' || (found !== undefined && found.start < from)) {
            found = find(text, from, opening, units);
          }
          return found;
        },
        begun: (from) => {
          for (let at = Math.max(from, text.length - longest); at < text.length; at += 1) {
            if (initials.has(text[at]) && follow(units, text, at).open) return at;
          }
          return undefined;
        },
      };
    },
  };
}

function find(
  text: string,
  from: number,
  opening: RegExp,
  units: readonly Unit[],
): Span | undefined {
  opening.lastIndex = from;
  for (let match = opening.exec(text); match !== null; match = opening.exec(text)) {
    const { end } = follow(units, text, match.index);
    if (end !== undefined) return { start: match.index, end };
    // Continues one character later: the real match may overlap with this one.
    opening.lastIndex = match.index + 1;
  }
  return undefined;
}

/**
 * Matches the text from one index, in all spellings at once. `end` is the end of the longest match.
 * `open` means that the text ended inside a possible match.
 */
function follow(
  units: readonly Unit[],
  text: string,
  from: number,
): { readonly end: number | undefined; readonly open: boolean } {
  let open = false;
  let ends: ReadonlySet<number> = new Set([from]);
  for (const unit of units) {
    const next = new Set<number>();
    for (const at of ends) {
      for (const way of unit) {
        if (text.startsWith(way, at)) next.add(at + way.length);
        else if (at + way.length > text.length && way.startsWith(text.slice(at))) open = true;
      }
    }
    if (next.size === 0) return { end: undefined, open };
    ends = next;
  }
  return { end: Math.max(...ends), open };
}

function alternatives(unit: Unit): string {
  return `(?:${unit.map((way) => way.replaceAll(/[^a-z0-9]/gi, '\\$&')).join('|')})`;
}

/** All spellings of a text: for each character, its possible encodings. */
export interface Spelling {
  readonly units: readonly Unit[];
  /** Whether case is ignored. Then all spellings are in lower case. */
  readonly caseless: boolean;
}

export type Unit = readonly string[];

/**
 * The ways in which servers echo a value, as far as we look for them:
 *
 * - in any letter case, with any character percent-encoded (once or twice), escaped as in JSON and
 *   JavaScript (`\/`, `\u0041`, `\x41`) or as in HTML (`&amp;`, `&#65;`);
 * - in hexadecimal;
 * - in base64 and base64url, also inside a longer text that was encoded as a whole.
 */
export function spellingsOf(value: string): readonly Spelling[] {
  const characters = value.split('');
  const bytes = characters.map((character) => character.charCodeAt(0));
  return [
    { units: characters.map(waysToWrite), caseless: true },
    { units: oneWay(bytes.map(hex).join('')), caseless: true },
    // guard: secret-scrubbed-in-base64
    ...[0, 1, 2].map((before) => ({ units: base64Units(bytes, before), caseless: false })),
  ];
}

/** A text with one spelling. */
export function exactly(text: string): Spelling {
  return { units: oneWay(text), caseless: false };
}

function oneWay(text: string): readonly Unit[] {
  return text.split('').map((character) => [character]);
}

function waysToWrite(character: string): Unit {
  const code = character.charCodeAt(0);
  const digits = hex(code);
  const decimal = String(code);
  return [
    character.toLowerCase(),
    `%${digits}`,
    `%25${digits}`,
    `\\u00${digits}`,
    `\\x${digits}`,
    `&#${decimal};`,
    `&#${decimal.padStart(3, '0')};`,
    `&#x${digits};`,
    ...(OTHERS.get(character) ?? []),
  ];
}

const OTHERS: ReadonlyMap<string, Unit> = new Map([
  [' ', ['+', '%2b']],
  ['"', ['\\"', '&quot;']],
  ["'", ["\\'", '&apos;']],
  ['\\', ['\\\\']],
  ['/', ['\\/']],
  ['&', ['&amp;']],
  ['<', ['&lt;']],
  ['>', ['&gt;']],
]);

function hex(code: number): string {
  return code.toString(16).padStart(2, '0');
}

/**
 * The base64 of bytes that follow `before` other bytes in their group of three. A character that
 * encodes only a part of them may be any that agrees in that part:
 *
 * ```
 *   bytes    ........ 01100001 01100010 …       (before = 1)
 *   base64   ...... ..0110 000101 1000..
 *                   4 ways  1 way
 * ```
 */
function base64Units(bytes: readonly number[], before: number): readonly Unit[] {
  const bits = `${'.'.repeat(before * 8)}${bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('')}`;
  const sextets = bits.match(/.{1,6}/g) ?? [];
  return sextets
    .map((sextet) => sextet.padEnd(6, '.'))
    .filter((sextet) => sextet !== '......')
    .map(waysOfSextet);
}

/** Six bits, of which those that may be either are dots. */
function waysOfSextet(sextet: string): Unit {
  // A token has hundreds of them, and nearly all are whole.
  if (!sextet.includes('.')) return waysInBase64(ALPHABET[Number.parseInt(sextet, 2)] ?? '');
  const pattern = new RegExp(`^${sextet}$`);
  return ALPHABET.flatMap((character, index) =>
    pattern.test(index.toString(2).padStart(6, '0')) ? waysInBase64(character) : [],
  );
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.split('');

function waysInBase64(character: string): Unit {
  if (character === '+') return ['+', '-', '%2B', '%2b', '\\u002b', '\\u002B'];
  if (character === '/') return ['/', '_', '%2F', '%2f', '\\/'];
  return [character];
}
