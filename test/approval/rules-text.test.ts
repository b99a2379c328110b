import { describe, expect, it } from 'vitest';
import { formatRules, parseRules } from '../../src/approval/rules-text.js';
import { openRuleBook } from '../../src/approval/rule-book.js';
import { sentenceOf } from '../../src/approval/sentence.js';
import type { Rule } from '../../src/approval/rule.js';

const rule: Rule = {
  id: 'r-1',
  verdict: 'allow',
  plugin: 'weather',
  tool: 'weather',
  bundle: 'sha512-abcdefghijklmnop',
  input: { city: { equals: 'Oslo' }, days: { oneOf: [1, 2] }, note: { startsWith: 'a"' } },
  until: '2027-01-01T00:00:00.000Z',
};
const read = (rules: unknown[]): ReturnType<typeof parseRules> =>
  parseRules(JSON.stringify({ version: 1, rules }));

it('rules that are written are read again', () => {
  expect(parseRules(formatRules([rule]))).toEqual({ ok: true, value: [rule] });
});

describe('a file is refused as a whole', () => {
  const { bundle: _, ...noBundle } = rule;
  it.each([
    ['no JSON', '{', /not JSON/],
    ['another version', '{"version":2,"rules":[]}', /version/],
    ['a word that nobody knows', [{ ...rule, inputs: {} }], /inputs: is not known/],
    ['a condition that nobody knows', [{ ...rule, input: { a: { is: 1 } } }], /input\.a: must be/],
    ['two conditions in one', [{ ...rule, input: { a: { equals: 1, oneOf: [] } } }], /input\.a/],
    ['another verdict', [{ ...rule, verdict: 'permit' }], /verdict/],
    ['an allow for no code', [noBundle], /an allow names the code/],
    ['an end that is no time', [{ ...rule, until: 'later' }], /until/],
    ['one id for two', [rule, rule], /another rule has the id/],
    ['no plugin', [{ ...rule, plugin: '' }], /plugin/],
  ])('for %s', (_name, content, message) => {
    const result = typeof content === 'string' ? parseRules(content) : read(content);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problems.join()).toMatch(message);
  });
});

describe('a book of rules', () => {
  it('sees what somebody else wrote into the file, and what was taken out', () => {
    let text: string | undefined;
    const book = openRuleBook({ name: 'f', read: () => text, write: (next) => (text = next) });
    expect(book.list()).toEqual([]);
    text = formatRules([rule]);
    expect(book.list()).toEqual([rule]);
    const added = book.add({ verdict: 'deny', plugin: '*', tool: '*' });
    expect(parseRules(text)).toMatchObject({ value: [rule, added] });
    expect(book.remove('r-1')).toBe(true);
    expect(book.remove('r-1')).toBe(false);
    expect(book.list()).toEqual([added]);
  });

  it('that has become unreadable decides nothing', () => {
    const book = openRuleBook({ name: 'rules.json', read: () => '[', write: () => {} });
    expect(() => book.list()).toThrow(expect.objectContaining({ code: 'INVALID_RULES' }));
    expect(() => book.add({ verdict: 'deny', plugin: '*', tool: '*' })).toThrow('rules.json');
  });
});

it('a rule can be read aloud', () => {
  expect(sentenceOf(rule)).toBe(
    'allow weather:weather when input.city is "Oslo" and input.days is one of 1, 2 and input.note starts with "a\\"" as long as its code is sha512-abcdefghijkl… until 2027-01-01T00:00:00.000Z',
  );
  expect(sentenceOf({ id: 'x', verdict: 'deny', plugin: '*', tool: '*' })).toBe('deny everything');
});
