import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeRuleBook } from '../../src/approval/rule-book.js';
import { decide, matchesName, type Rule } from '../../src/approval/rule.js';
import { formatUnmatched, unmatchedRules } from '../../src/approval/unmatched.js';
import { open, question } from './asking.js';

describe('a name in a rule', () => {
  it.each([
    ['echo', 'echo', true],
    ['echo', 'echo2', false],
    ['*', 'anything', true],
    ['ec*', 'echo', true],
    ['ec*', 'ec', true],
    ['ec*', 'decho', false],
    ['*ho', 'echo', true],
    ['*ho', 'hot', false],
    ['e*o', 'echo', true],
    ['e*o', 'eo', true],
    ['ab*ba', 'aba', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['delete-*', 'delete-all', true],
  ])('%s matches %s: %s', (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it('matches as the regular expression with .* for each *', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (pattern, raw) => {
        const name = raw.replaceAll('*', '');
        const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
        return matchesName(pattern, name) === expression.test(name);
      }),
    );
  });

  it('of a deny with a partial * denies', () => {
    const rule: Rule = { id: 'r', verdict: 'deny', plugin: 'p1', tool: 'ec*' };
    const about = { plugin: 'p1', tool: 'echo', bundle: 'b', input: {} };
    expect(decide([rule], about, 'low', 0)).toEqual({ verdict: 'deny', rule });
    expect(decide([rule], { ...about, tool: 'other' }, 'low', 0)).toBeUndefined();
  });
});

describe('a rule that matches no installed tool', () => {
  const installed = [
    { name: 'p1__echo', plugin: 'p1', tool: 'echo', id: 'p1:echo' },
    { name: 'p1__wipe', plugin: 'p1', tool: 'wipe', id: 'p1:wipe' },
  ];
  const unmatched = (plugin: string, tool: string): string[] =>
    unmatchedRules([{ id: 'r-1', verdict: 'deny', plugin, tool }], installed).map(formatUnmatched);

  it.each([
    ['p1', 'ecco', 'r-1 (p1:ecco; did you mean p1:echo?)'],
    ['p1', 'p1__echo', 'r-1 (p1:p1__echo; did you mean p1:echo?)'],
    ['gone', 'x*', 'r-1 (gone:x*)'],
  ])('is found: %s:%s', (plugin, tool, text) => {
    expect(unmatched(plugin, tool)).toEqual([text]);
  });

  it.each([
    ['p1', 'ec*'],
    ['*', '*'],
    ['p*', 'wipe'],
  ])('is not %s:%s', (plugin, tool) => {
    expect(unmatched(plugin, tool)).toEqual([]);
  });
});

it('always stores no rule for a tool whose name has a *', async () => {
  const rules = makeRuleBook();
  const { approval, events } = open(() => 'always', { rules });
  await approval.ask(question({ tool: '*' }));
  expect(rules.list()).toEqual([]);
  expect(events.at(-1)).toMatchObject({ type: 'approval-given', verdict: 'once' });
});
