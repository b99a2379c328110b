import { describe, expect, it } from 'vitest';
import { heldOf } from '../../../src/engine/instance/request-modes.js';

function held(headers: readonly (readonly [string, string])[], body?: string) {
  return heldOf({
    method: 'POST',
    url: new URL('https://api.test/all'),
    headers,
    ...(body === undefined ? {} : { body: new TextEncoder().encode(body) }),
    whole: true,
  });
}

describe('a request that waits for approval', () => {
  it.each(['Authorization', 'X-Api-Key', 'cookie', 'x-auth-token', 'X-Amz-Security-Token'])(
    'never shows the value of %s, and still differs from one with another value',
    (name) => {
      const [first] = held([[name, 'sk-live-0123456789']]).headers;
      const [second] = held([[name, 'sk-live-0123456780']]).headers;
      expect(first?.[1]).toMatch(/^\(hidden: 18 characters, sha256 [0-9a-f]{8}…\)$/);
      expect(first?.[1]).not.toBe(second?.[1]);
    },
  );

  it('shows other headers and the body, with what would mislead escaped', () => {
    const shown = held([['x-mode', 'wi\u2800pe']], 'one\r\ntwo\u3164');
    expect(shown.headers).toEqual([['x-mode', 'wi\\u2800pe']]);
    expect(shown.body).toBe('one\ntwo\\u3164');
  });
});
