import { describe, expect, it } from 'vitest';
import { formatRules, openRuleBook, parseRules } from '../../src/approval/rule-book.js';
import { type Rule, sentenceOf } from '../../src/approval/rule.js';

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
  parseRules(JSON.stringify({ version: 2, rules }));

it('parseRules reads the text of formatRules', () => {
  expect(parseRules(formatRules([rule]))).toEqual({ ok: true, value: [rule] });
});

it('a rule may be for a remote tool, whose code is its definition and its address', () => {
  const bundle = `${'a'.repeat(64)} https://tools.example/mcp`;
  expect(read([{ ...rule, bundle }])).toMatchObject({ ok: true });
});

describe('a rules file is refused as a whole', () => {
  const { bundle: _, ...noBundle } = rule;
  it.each([
    ['text that is not JSON', '{', /not JSON/],
    ['version 1, with what to change', '{"version":1,"rules":[]}', /write "version": 2/],
    ['a later version', '{"version":3,"rules":[]}', /version/],
    ['an unknown field', [{ ...rule, inputs: {} }], /inputs: is not known/],
    ['an unknown condition', [{ ...rule, input: { a: { is: 1 } } }], /input\.a: must be/],
    ['two conditions in one', [{ ...rule, input: { a: { equals: 1, oneOf: [] } } }], /input\.a/],
    ['another verdict', [{ ...rule, verdict: 'permit' }], /verdict/],
    ['an allow without a bundle', [noBundle], /An allow names the bundle/],
    ['an end that is not a time', [{ ...rule, until: 'later' }], /until/],
    ['a duplicate id', [rule, rule], /another rule has the id/],
    ['no plugin', [{ ...rule, plugin: '' }], /plugin/],
    ['a bundle that is not a hash', [{ ...rule, bundle: 'weather' }], /bundle: is not the hash/],
    ['an effect with a path', [{ ...rule, effect: 'POST https://a.test/x' }], /effect: is not/],
    ['an effect without a method', [{ ...rule, effect: 'https://a.test' }], /effect: is not/],
    ['an effect in lower case', [{ ...rule, effect: 'post https://a.test' }], /effect: is not/],
  ])('for %s', (_name, content, message) => {
    const result = typeof content === 'string' ? parseRules(content) : read(content);
    expect(result.ok).toBe(false);
    if (!result.ok) expect(result.problems.join()).toMatch(message);
  });
});

describe('a rule book', () => {
  it('sees rules that another process added or removed', () => {
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

  it('throws if its file is no longer valid', () => {
    const book = openRuleBook({ name: 'rules.json', read: () => '[', write: () => {} });
    expect(() => book.list()).toThrow(expect.objectContaining({ code: 'INVALID_RULES' }));
    expect(() => book.add({ verdict: 'deny', plugin: '*', tool: '*' })).toThrow('rules.json');
  });
});

it('sentenceOf describes a rule', () => {
  expect(sentenceOf(rule)).toBe(
    'allow weather:weather if input.city is "Oslo" and input.days is one of 1, 2 and input.note starts with "a\\"" with bundle sha512-abcdefghijkl… until 2027-01-01T00:00:00.000Z',
  );
  expect(sentenceOf({ id: 'x', verdict: 'deny', plugin: '*', tool: '*' })).toBe('deny everything');
});
