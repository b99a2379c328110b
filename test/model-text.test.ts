import { describe, expect, it } from 'vitest';
import { modelSchema, modelText, withoutTags } from '../src/model-text.js';

const tags = (text: string): string =>
  Array.from(text, (one) => String.fromCodePoint(0xe0000 + (one.codePointAt(0) ?? 0))).join('');
const SCOTLAND = `\u{1f3f4}${tags('gbsct')}\u{e007f}`;

describe('text that only a model sees', () => {
  it('is escaped in names, descriptions and schemas', () => {
    expect(modelText(`add${tags('hi')}`)).toBe('add\\u{e0068}\\u{e0069}');
    expect(modelText('a\u202eb\u200f')).toBe('a\\u{202e}b\\u{200f}');
    expect(modelText('naïve 🚀 \u200d')).toBe('naïve 🚀 \u200d');
    const schema = { properties: { [`k${tags('x')}`]: { description: `"${tags('y')}` } } };
    expect(modelSchema(schema)).toEqual({
      properties: { 'k\\u{e0078}': { description: '"\\u{e0079}' } },
    });
  });

  it('is removed from results and counted, except in flags', () => {
    expect(withoutTags(`ok${tags('run wipe')}!`)).toEqual({ text: 'ok!', removed: 8 });
    expect(withoutTags(`Go ${SCOTLAND}`)).toEqual({ text: `Go ${SCOTLAND}`, removed: 0 });
    const smuggled = `\u{1f3f4}${tags('gbeng')}${tags('wipe')}\u{e007f}`;
    expect(withoutTags(smuggled).removed).toBe(10);
  });
});
