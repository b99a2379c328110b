import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  makeFinder,
  searched,
  exactly,
  spellingsOf,
} from '../../../../src/brokers/network/secrets/find.js';

const VALUE = 'sk-4/a+B c"9&<Z';

function finds(value: string, text: string): boolean {
  const both = searched(text);
  return spellingsOf(value).some(
    (spelling) => makeFinder(spelling).over(both).next(0) !== undefined,
  );
}

const url = (text: string): string => encodeURIComponent(text);
const each = (text: string, write: (code: string) => string): string =>
  text
    .split('')
    .map((c) => write(c.charCodeAt(0).toString(16).padStart(2, '0')))
    .join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a value is found', () => {
  it.each([
    ['as it is', VALUE],
    ['in upper case', VALUE.toUpperCase()],
    ['in lower case', VALUE.toLowerCase()],
    ['percent-encoded', url(VALUE)],
    ['percent-encoded with small digits', url(VALUE).replaceAll(/%../g, (s) => s.toLowerCase())],
    ['percent-encoded in every character', each(VALUE, (code) => `%${code}`)],
    ['percent-encoded twice', url(url(VALUE))],
    ['as a form writes it', new URLSearchParams({ VALUE }).toString()],
    ['as JSON', JSON.stringify(VALUE)],
    ['as JSON that escapes slashes', JSON.stringify(VALUE).replaceAll('/', '\\/')],
    ['as JSON in ASCII alone', each(VALUE, (code) => `\\u00${code}`)],
    ['as JavaScript', each(VALUE, (code) => `\\x${code}`)],
    ['as HTML', VALUE.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    [
      'as numbers in HTML',
      VALUE.split('')
        .map((c) => `&#${c.charCodeAt(0)};`)
        .join(''),
    ],
    ['as hexadecimal numbers in HTML', each(VALUE, (code) => `&#x${code.toUpperCase()};`)],
    ['in hexadecimal', each(VALUE, (code) => code)],
    ['in hexadecimal, upper case', each(VALUE, (code) => code).toUpperCase()],
    ['in base64', base64(VALUE)],
    ['in base64url', Buffer.from(VALUE).toString('base64url')],
    ['in base64 that a URL carries', url(base64(VALUE))],
    ['in base64 behind one character', base64(`:${VALUE}`)],
    ['in base64 behind two', base64(`u:${VALUE}`)],
    ['in base64 in the middle of something', base64(`{"key":"${VALUE}","more":1}`)],
  ])('%s', (_how, text) => {
    expect(finds(VALUE, text)).toBe(true);
    expect(finds(VALUE, `before ${text} behind`)).toBe(true);
  });

  it('in base64 at any offset', () => {
    fc.assert(
      fc.property(visibleText(), fc.string(), fc.string(), (text, before, after) => {
        expect(finds(text, base64(`${before}${text}${after}`))).toBe(true);
      }),
    );
  });

  it('however its characters are mixed', () => {
    fc.assert(
      fc.property(visibleText(), fc.infiniteStream(fc.nat(3)), (text, ways) => {
        const written = text.split('').map((character) => {
          const code = character.charCodeAt(0).toString(16).padStart(2, '0');
          const way = ways.next().value;
          return [character, `%${code}`, `%${code.toUpperCase()}`, `\\u00${code}`][way ?? 0];
        });
        expect(finds(text, written.join(''))).toBe(true);
      }),
    );
  });
});

describe('a value is not found', () => {
  it.each([
    ['in other text', 'sk-4/a+B c"9&<', 'sk-4/a+B c"8&<Z'],
    ['in base64 of something else', base64(VALUE.replace('9', '8')), base64('x'.repeat(40))],
    ['in half of it', VALUE.slice(0, 8), VALUE.slice(8)],
  ])('%s', (_where, ...texts) => {
    for (const text of texts) expect(finds(VALUE, text)).toBe(false);
  });
});

describe('a placeholder', () => {
  it('is found exactly as written, and in no other form', () => {
    const { over } = makeFinder(exactly('bulkhead-secret-0af'));
    const at = (text: string): number | undefined => over(searched(text)).next(0)?.start;
    expect(at('key=bulkhead-secret-0af&')).toBe(4);
    expect(at('key=bulkhead-secret-0aF&')).toBeUndefined();
    expect(at('key=bulkhead%2dsecret-0af&')).toBeUndefined();
  });
});

/** Visible ASCII, as a secret is. */
function visibleText(): fc.Arbitrary<string> {
  const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
  return fc.string({ unit: visible, minLength: 8, maxLength: 40 });
}
