import { describe, expect } from 'vitest';
import { stage } from './attempt.js';
import { both, gotNothing, type Verdict } from './verdicts.js';

/** Code that copies, merges or looks up the result is as before, and so is this process. */
const cleanHost: Verdict = ({ result, engine, events }) => {
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  for (const told of [result, ...engine.plugins(), ...engine.catalog.list(), ...events]) {
    expectClean(told);
  }
};

function expectClean(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  expect([Object.prototype, Array.prototype]).toContain(Object.getPrototypeOf(value));
  expect(Object.hasOwn(value, '__proto__')).toBe(false);
  Object.values(value).forEach(expectClean);
}

const returns =
  (value: unknown): Verdict =>
  ({ result }) =>
    expect(result.value).toEqual(value);

describe('code that smuggles prototypes into what others copy', () => {
  const escapeAttempt = stage({
    hostile: 'pollutes-prototypes',
    options: () => ({
      config: JSON.parse('{"pollutes-prototypes": {"__proto__": {"polluted": "yes"}, "a": "b"}}'),
      env: JSON.parse('{"__proto__": "polluted"}'),
    }),
  });

  const constructor = { prototype: { polluted: 'yes', toString: 'mine' } };

  escapeAttempt({
    tries: 'a result with them inside',
    tool: 'result',
    verdict: both(returns({ a: {}, list: [{}], constructor }), cleanHost),
  });
  escapeAttempt({
    tries: 'a result that is one',
    tool: 'whole-result',
    verdict: both(returns({}), cleanHost),
  });
  escapeAttempt({
    tries: 'a toJSON that answers one',
    tool: 'to-json',
    verdict: both(returns({}), cleanHost),
  });
  escapeAttempt({
    tries: 'a Proxy that says it has them',
    tool: 'proxy',
    verdict: both(returns({ constructor: constructor.prototype }), cleanHost),
  });
  escapeAttempt({
    tries: 'an error that carries them',
    tool: 'error',
    verdict: both(({ result }) => expect(result.code).toBe('TOOL_FAILED'), cleanHost),
  });
  escapeAttempt({
    tries: 'an input that a caller made of received data',
    tool: 'input',
    input: JSON.parse(
      '{"__proto__": {"polluted": "yes"}, "a": {"__proto__": {"polluted": "yes"}}}',
    ),
    verdict: both(gotNothing, cleanHost),
  });
  escapeAttempt({
    tries: 'the defaults of a schema',
    tool: 'defaults',
    verdict: both(gotNothing, cleanHost),
  });
  escapeAttempt({
    tries: 'the fields of a tool, its configuration and its variables',
    tool: 'fields',
    verdict: both(({ engine }) => {
      const [plugin] = engine.plugins();
      expect(plugin?.alerts).toEqual([{ level: 'info', message: 'clean' }]);
      const tool = engine.catalog.find('fields');
      expect(tool).toMatchObject({ annotations: { readOnlyHint: true }, timeoutMs: 60_000 });
      expect(tool?.annotations.destructiveHint).toBeUndefined();
      expect(plugin?.entries[0]?.effective.time).toBe(false);
    }, cleanHost),
  });
});
