import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isolated,
  isolatedJson,
  jsonLine,
  shellWord,
  visible,
  visibleCode,
  visibleLines,
} from '../../src/visible.js';

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

  it.each([
    '\ufe00\ufe0f\u{e0100}\u{e01ef}\u034f\u3164\uffa0\u115f\u1160\u17b4\u17b5\u2800\u180b\u00ad',
    '\u00a0\u2003\u3000\u202f\u1680\u{1d159}',
  ])('shows what is invisible or only looks like a space: %j', (text) => {
    for (const character of text) {
      const hex = (character.codePointAt(0) ?? 0).toString(16);
      expect(visible(`a${character}b`)).toMatch(new RegExp(`^a\\\\u\\{?0*${hex}\\}?b$`));
      const shown = isolatedJson({ [`k${character}`]: `a${character}b` });
      expect(shown).not.toContain(character);
      expect(JSON.parse(shown)).toEqual({ [`k${character}`]: `a${character}b` });
    }
  });

  it('isolates right-to-left text, so that it does not reorder what surrounds it', () => {
    expect(isolated('notes')).toBe('notes');
    expect(isolated('א1')).toBe('\u2068א1\u2069');
    expect(isolated('a\u2069א')).toBe('\u2068a\\u2069א\u2069');
    expect(isolatedJson({ to: 'אב', n: '"א' })).toBe(
      '{\n  "to": "\u2068אב\u2069",\n  "n": "\u2068\\"א\u2069"\n}',
    );
  });

  it('keeps emoji and blanks in the output of a tool', () => {
    expect(visibleLines('❤\ufe0f 1\u00a0000')).toBe('❤\ufe0f 1\u00a0000');
  });

  it('shows line breaks and tabs if lines are wanted, and no lone carriage return', () => {
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

describe('a word of a command that a person may paste', () => {
  it.each([
    'notes; touch pwned',
    "it's $(touch pwned)",
    '`touch pwned`',
    'a\n touch pwned',
    'a"b\\c$HOME~!*?[x]{a,b}<>|&#',
    '\u202e\u001b[31m',
    '',
    ' ',
  ])('is one word of its visible text for a shell: %j', (text) => {
    const word = shellWord(text);
    expect(word).not.toContain('\n');
    const { stdout } = spawnSync('sh', ['-c', `printf '<%s>' ${word}`], { encoding: 'utf8' });
    expect(stdout).toBe(`<${visible(text)}>`);
  });

  it('is not an option', () => {
    expect(shellWord('--yes')).toBe('-- --yes');
    expect(shellWord("-x'y")).toBe(String.raw`-- '-x'\''y'`);
  });

  it.each(['notes', '@vendor/notes', './plugins/notes-1.0.0', '/srv/a_b/c.artifact'])(
    'stays as it is if it needs no quotes: %s',
    (text) => {
      expect(shellWord(text)).toBe(text);
    },
  );
});

it('code for display keeps its lines and tabs, and shows invisible letters', () => {
  expect(visibleCode('a\r\n\tconst \u3164 = 1;\u202e')).toBe('a\n\tconst \\u3164 = 1;\\u202e');
});

describe('JSON for display', () => {
  it('escapes and isolates each character alike, alone and beside one that takes the long way', () => {
    for (let code = 0; code <= 0x5ff; code += 1) {
      const text = String.fromCodePoint(code);
      const alone = isolatedJson({ text });
      const beside = isolatedJson({ text, other: '\u4e2d' });
      expect(beside).toBe(alone.replace(/\n\}$/, ',\n  "other": "\u4e2d"\n}'));
      const line = jsonLine({ text });
      expect(jsonLine({ text, other: '\u4e2d' })).toBe(
        line.replace(/\}\n$/, ',"other":"\u4e2d"}\n'),
      );
    }
  });
});
