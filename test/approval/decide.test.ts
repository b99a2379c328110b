import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/approval/decide.js';
import { fits, type Rule, type RuleCase } from '../../src/approval/rule.js';
import { RISK_BANDS } from '../../src/plugin/risk.js';

const NOW = Date.parse('2026-06-01T00:00:00Z');
const about: RuleCase = {
  plugin: 'weather',
  tool: 'weather',
  bundle: 'sha512-a',
  input: { city: 'Oslo', at: { hour: 9 }, list: [1] },
};
const rule = (changed: Partial<Rule> = {}): Rule => ({
  id: 'r-1',
  verdict: 'allow',
  plugin: 'weather',
  tool: 'weather',
  bundle: 'sha512-a',
  ...changed,
});

describe('a rule fits', () => {
  it.each<[string, Partial<Rule>, boolean]>([
    ['the tool that it names', {}, true],
    ['no other tool', { tool: 'rain' }, false],
    ['no other plugin', { plugin: 'rain' }, false],
    ['every tool where it says so', { tool: '*' }, true],
    ['every plugin where it says so', { plugin: '*', tool: '*' }, true],
    ['no name that only begins alike', { plugin: 'weather-pro' }, false],
    ['no changed bundle', { bundle: 'sha512-b' }, false],
    ['any bundle where it says so', { bundle: '*' }, true],
    ['a member of the input', { input: { city: { equals: 'Oslo' } } }, true],
    ['no other member', { input: { city: { equals: 'oslo' } } }, false],
    ['a member within a member', { input: { 'at.hour': { oneOf: [8, 9] } } }, true],
    ['a member by how it starts', { input: { city: { startsWith: 'Os' } } }, true],
    ['no number by how it starts', { input: { 'at.hour': { startsWith: '9' } } }, false],
    ['no member that is not there', { input: { town: { equals: null } } }, false],
    ['no member that every object has', { input: { constructor: { startsWith: '' } } }, false],
    ['values by what they are', { input: { at: { equals: { hour: 9 } } } }, true],
    ['no other tenant', { tenant: 't1' }, false],
    ['any tenant where it says so', { tenant: '*' }, true],
    ['until its end', { until: '2026-06-01T00:00:01Z' }, true],
    ['not after its end', { until: '2026-05-31T23:59:59Z' }, false],
    ['not until nobody knows when', { until: 'some day' }, false],
    ['no request of a running tool', { effect: 'POST https://a.test' }, false],
  ])('%s', (_, changed, expected) => {
    expect(fits(rule(changed), about, NOW)).toBe(expected);
  });

  it('never, where it allows and names no code', () => {
    const { bundle: _, ...without } = rule();
    expect(fits(without, about, NOW)).toBe(false);
    expect(fits({ ...without, verdict: 'deny' }, about, NOW)).toBe(true);
  });
});

it('an allow that names no tenant holds for none, and a denial for all of them', () => {
  const tenanted = { ...about, tenant: 't1' };
  expect(fits(rule(), tenanted, NOW)).toBe(false);
  expect(fits(rule({ tenant: 't1' }), tenanted, NOW)).toBe(true);
  expect(fits(rule({ verdict: 'deny' }), tenanted, NOW)).toBe(true);
});

describe('of the rules that fit', () => {
  const verdictOf = (rules: readonly Rule[], risk: 'low' | 'high' = 'low'): string | undefined =>
    decide(rules, about, risk, NOW)?.rule.id;
  const allow = rule({ id: 'allow' });
  const wide = rule({ id: 'wide', plugin: '*', tool: '*', bundle: '*' });
  const deny = rule({ id: 'deny', verdict: 'deny', plugin: '*', tool: '*' });
  const ask = rule({ id: 'ask', verdict: 'ask', tool: '*' });

  it('one that denies wins, however wide it is', () => {
    expect(verdictOf([allow, ask, deny])).toBe('deny');
  });

  it('one that asks wins over one that allows', () => {
    expect(verdictOf([allow, ask])).toBe('ask');
  });

  it('the most specific of those with one verdict is named', () => {
    expect(verdictOf([wide, allow])).toBe('allow');
    const narrow = rule({ id: 'narrow', input: { city: { equals: 'Oslo' } } });
    expect(verdictOf([wide, allow, narrow])).toBe('narrow');
  });

  it('none allows what is high, and one that denies it still does', () => {
    expect(verdictOf([allow, wide], 'high')).toBeUndefined();
    expect(verdictOf([allow, deny], 'high')).toBe('deny');
  });

  it('more rules never make an answer milder than a denial', () => {
    const any = fc.constantFrom(allow, wide, deny, ask, rule({ id: 'off', plugin: 'else' }));
    fc.assert(
      fc.property(fc.array(any), fc.array(any), fc.constantFrom(...RISK_BANDS), (a, b, risk) => {
        const rules = [...a, deny, ...b];
        expect(decide(rules, about, risk, NOW)?.verdict).toBe('deny');
      }),
    );
  });
});
