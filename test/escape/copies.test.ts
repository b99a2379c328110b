import { describe, expect } from 'vitest';
import { stage } from './attempt.js';
import { refused, type Verdict } from './verdicts.js';

const returns =
  (value: unknown): Verdict =>
  ({ result }) =>
    expect({ value: result.value, code: result.code }).toEqual({ value, code: undefined });

describe('code whose answers are not what they seem', () => {
  const escapeAttempt = stage({ hostile: 'lies-about-its-types' });

  escapeAttempt({
    tries: 'a property that changes from one read to the next',
    tool: 'getter-that-changes',
    verdict: returns({ a: 'first' }),
  });
  escapeAttempt({
    tries: 'a list that grows once its length was read',
    tool: 'length-that-changes',
    verdict: returns([1, 2, 3]),
  });
  escapeAttempt({
    tries: 'a list without an end',
    tool: 'endless-list',
    verdict: refused('RESULT_TOO_LARGE'),
  });
  escapeAttempt({
    tries: 'a list of less than nothing',
    tool: 'negative-list',
    verdict: returns([]),
  });
  escapeAttempt({
    tries: 'a promise that is none',
    tool: 'thenable',
    verdict: returns('unwrapped'),
  });
  escapeAttempt({
    tries: 'a promise that settles three times',
    tool: 'thenable-that-settles-twice',
    verdict: returns('first'),
  });
  escapeAttempt({
    tries: 'a Proxy that throws where it is read',
    tool: 'proxy-that-throws',
    verdict: refused('RESULT_INVALID', /no keys/),
  });
  escapeAttempt({
    tries: 'a Proxy that is no more',
    tool: 'revoked-proxy',
    verdict: refused('RESULT_INVALID'),
  });
  escapeAttempt({
    tries: 'what a toJSON is called with',
    tool: 'to-json-with-arguments',
    verdict: returns({ key: { args: ['key'], depth: 1 } }),
  });
  escapeAttempt({
    tries: 'a toJSON that answers itself',
    tool: 'to-json-that-returns-itself',
    verdict: returns({ a: 1 }),
  });
  escapeAttempt({
    tries: 'primitives in boxes',
    tool: 'boxed',
    verdict: returns([1, 'text', true, 2]),
  });
  escapeAttempt({
    tries: 'a BigInt in a box',
    tool: 'boxed-bigint',
    verdict: refused('RESULT_INVALID', /BigInt/),
  });
  escapeAttempt({
    tries: 'symbols and functions',
    tool: 'symbol-keys',
    verdict: returns({}),
  });
  escapeAttempt({
    tries: 'numbers that JSON has none of',
    tool: 'number-texts',
    verdict: returns([null, null, null, 0, 1e308, 5e-324, 2 ** 53]),
  });
  escapeAttempt({
    tries: 'halves of characters',
    tool: 'lone-surrogates',
    verdict: returns(['\ud800', '\udc00\ud800', '\u2028', '\0', { '\ud800': 1 }]),
  });
  escapeAttempt({
    tries: 'text that would be JSON already',
    tool: 'raw-json',
    verdict: returns({ rawJSON: '{"t":"reply"}', of: { rawJSON: '1e1000' } }),
  });

  const failures = {
    'error-that-is-a-proxy': /./,
    'error-without-prototype': /./,
    'error-that-is-text': /^just text$/,
    'error-that-is-nothing': /./,
    'error-with-a-name-that-throws': /^named$/,
    'error-that-is-its-own-cause': /^round$/,
    'error-with-a-megabyte': /^x{1000,9000}…?$/,
  };
  for (const [tool, words] of Object.entries(failures)) {
    escapeAttempt({
      tries: `to throw an ${tool.replaceAll('-', ' ')}`,
      tool,
      verdict: refused('TOOL_FAILED', words),
    });
  }
});
