import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Rule, type RuleCase, decide, fits } from '../../src/approval/rule.js';
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

describe('fits: a rule matches', () => {
  it.each<[string, Partial<Rule>, boolean]>([
    ['the tool that it names', {}, true],
    ['not another tool', { tool: 'rain' }, false],
    ['not another plugin', { plugin: 'rain' }, false],
    ['every tool with *', { tool: '*' }, true],
    ['every plugin with *', { plugin: '*', tool: '*' }, true],
    ['not a longer name with the same start', { plugin: 'weather-pro' }, false],
    ['not a changed bundle', { bundle: 'sha512-b' }, false],
    ['any bundle with *', { bundle: '*' }, true],
    ['a member of the input', { input: { city: { equals: 'Oslo' } } }, true],
    ['not another value of the member', { input: { city: { equals: 'oslo' } } }, false],
    ['a member within a member', { input: { 'at.hour': { oneOf: [8, 9] } } }, true],
    ['a member by its start', { input: { city: { startsWith: 'Os' } } }, true],
    ['not a number by its start', { input: { 'at.hour': { startsWith: '9' } } }, false],
    ['not a missing member', { input: { town: { equals: null } } }, false],
    ['not a member of Object.prototype', { input: { constructor: { startsWith: '' } } }, false],
    ['values by deep equality', { input: { at: { equals: { hour: 9 } } } }, true],
    ['not another tenant', { tenant: 't1' }, false],
    ['any tenant with *', { tenant: '*' }, true],
    ['before its end', { until: '2026-06-01T00:00:01Z' }, true],
    ['not after its end', { until: '2026-05-31T23:59:59Z' }, false],
    ['not with an invalid end', { until: 'some day' }, false],
    ['not a request of a running tool', { effect: 'POST https://a.test' }, false],
  ])('%s', (_, changed, expected) => {
    expect(fits(rule(changed), about, NOW)).toBe(expected);
  });

  it('nothing if it is an allow without a bundle', () => {
    const { bundle: _, ...without } = rule();
    expect(fits(without, about, NOW)).toBe(false);
    expect(fits({ ...without, verdict: 'deny' }, about, NOW)).toBe(true);
  });
});

it('fits: without a tenant, an allow matches no tenant and a deny matches all', () => {
  const tenanted = { ...about, tenant: 't1' };
  expect(fits(rule(), tenanted, NOW)).toBe(false);
  expect(fits(rule({ tenant: 't1' }), tenanted, NOW)).toBe(true);
  expect(fits(rule({ verdict: 'deny' }), tenanted, NOW)).toBe(true);
});

describe('decide', () => {
  const verdictOf = (rules: readonly Rule[], risk: 'low' | 'high' = 'low'): string | undefined =>
    decide(rules, about, risk, NOW)?.rule.id;
  const allow = rule({ id: 'allow' });
  const wide = rule({ id: 'wide', plugin: '*', tool: '*', bundle: '*' });
  const deny = rule({ id: 'deny', verdict: 'deny', plugin: '*', tool: '*' });
  const ask = rule({ id: 'ask', verdict: 'ask', tool: '*' });

  it('prefers a deny, even a broad one', () => {
    expect(verdictOf([allow, ask, deny])).toBe('deny');
  });

  it('prefers an ask to an allow', () => {
    expect(verdictOf([allow, ask])).toBe('ask');
  });

  it('returns the most specific rule of one verdict', () => {
    expect(verdictOf([wide, allow])).toBe('allow');
    const narrow = rule({ id: 'narrow', input: { city: { equals: 'Oslo' } } });
    expect(verdictOf([wide, allow, narrow])).toBe('narrow');
  });

  it('does not allow high risk, but denies it', () => {
    expect(verdictOf([allow, wide], 'high')).toBeUndefined();
    expect(verdictOf([allow, deny], 'high')).toBe('deny');
  });

  it('denies if any rule denies, whatever the other rules are', () => {
    const any = fc.constantFrom(allow, wide, deny, ask, rule({ id: 'off', plugin: 'else' }));
    fc.assert(
      fc.property(fc.array(any), fc.array(any), fc.constantFrom(...RISK_BANDS), (a, b, risk) => {
        const rules = [...a, deny, ...b];
        expect(decide(rules, about, risk, NOW)?.verdict).toBe('deny');
      }),
    );
  });
});
