import { describe, expect, it } from 'vitest';
import { changesState } from '../../../src/brokers/network/outbound-request.js';

const changes = (name: string): boolean =>
  changesState({ method: 'GET', headers: [[name, 'DELETE']] });

describe('a request that only reads', () => {
  it.each([
    'X-HTTP-Method-Override',
    'x_http_method_override',
    'X-HTTP_Method-Override',
    'x.http.method.override',
    'X-Method-Override',
    'HTTP-Method-Override',
    'Method-Override',
    'X-HTTP-Method',
    'x_http_method',
    'X-Override-Method',
  ])('changes something if it has the header %s', (name) => {
    expect(changes(name)).toBe(true);
  });

  it.each(['accept', 'x-method-count', 'x-http-version', 'access-control-request-method'])(
    'changes nothing with the header %s',
    (name) => {
      expect(changes(name)).toBe(false);
    },
  );
});
