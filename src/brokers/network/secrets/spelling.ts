/** A text as it may be written: for each of its characters, every way to write that one. */
export interface Spelling {
  readonly units: readonly Unit[];
  /** Whether the letters' case makes no difference. Then all ways are in lower case. */
  readonly caseless: boolean;
}

export type Unit = readonly string[];

/**
 * The ways in which servers give back what they were sent, as far as we look for them:
 *
 * - as it is, in any letter case, and with any of its characters percent-encoded (once or twice),
 *   escaped as in JSON and JavaScript (`\/`, `\u0041`, `\x41`) or as in HTML (`&amp;`, `&#65;`);
 * - in hexadecimal;
 * - in base64 and base64url, also in the middle of a longer text that was encoded as a whole.
 */
export function spellingsOf(value: string): readonly Spelling[] {
  const characters = value.split('');
  const bytes = characters.map((character) => character.charCodeAt(0));
  return [
    { units: characters.map(waysToWrite), caseless: true },
    { units: oneWay(bytes.map(hex).join('')), caseless: true },
    ...[0, 1, 2].map((before) => ({ units: base64Units(bytes, before), caseless: false })),
  ];
}

/** A text that is written in one way only. */
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
 * What bytes become in base64 where `before` bytes of something else precede them in their group of
 * three. A character that is theirs only in part may be any that agrees in that part:
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
    .map((sextet) => {
      const pattern = new RegExp(`^${sextet}$`);
      return ALPHABET.flatMap((character, index) =>
        pattern.test(index.toString(2).padStart(6, '0')) ? waysInBase64(character) : [],
      );
    });
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'.split('');

function waysInBase64(character: string): Unit {
  if (character === '+') return ['+', '-', '%2B', '%2b', '\\u002b', '\\u002B'];
  if (character === '/') return ['/', '_', '%2F', '%2f', '\\/'];
  return [character];
}
