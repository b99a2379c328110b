import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonLine, visible, visibleLines } from '../../src/cli/visible.js';

describe('text of a plugin', () => {
  it.each([
    ['\u001b[31m', '\\u001b[31m'],
    ['a\u0000b', 'a\\u0000b'],
    ['\u202egnp', '\\u202egnp'],
    ['\u2066\u200b\u200f', '\\u2066\\u200b\\u200f'],
    ['\u{e0041}', '\\u{e0041}'],
    ['\ud800', '\\ud800'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['Grüße, 東京 🚀', 'Grüße, 東京 🚀'],
  ])('shows %j as %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('keeps line breaks and tabs where lines are wanted, and no lone carriage return', () => {
    expect(visibleLines('a\r\nb\tc\rd')).toBe('a\nb\tc\\rd');
  });

  it('never holds a control character once visible', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it('is the same again when its JSON line is parsed, and that line is one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (value, text) => {
        const line = jsonLine([value, text]);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify([value, text])));
        expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});
