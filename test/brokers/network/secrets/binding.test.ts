import { describe, expect, it } from 'vitest';
import { checkValue, parseBinding } from '../../../../src/brokers/network/secrets/secret.js';

describe('a binding', () => {
  it.each([
    ['api.test', 'https://api.test/path?q', true],
    ['api.test', 'https://API.TEST./', true],
    ['api.test', 'https://api.test:444/', false],
    ['api.test', 'http://api.test/', false],
    ['http://api.test', 'http://api.test/', true],
    ['http://api.test', 'https://api.test/', false],
    ['api.test:8443', 'https://api.test:8443/', true],
    ['api.test:8443', 'http://api.test:8443/', false],
    ['*.api.test', 'https://v1.api.test/', true],
    ['*.api.test', 'https://api.test/', false],
    ['api.test', 'https://evil.test/?api.test', false],
    ['api.test', 'https://api.test.evil.test/', false],
    ['GET api.test', 'https://api.test/', true],
    ['POST api.test', 'https://api.test/', false],
  ])('to %s holds for a GET of %s: %s', (host, url, holds) => {
    const { boundTo } = parseBinding({ hosts: [host], in: ['header'] }, 'o');
    expect(boundTo(new URL(url), 'GET')).toBe(holds);
  });

  it('names headers in any letter case', () => {
    const { places } = parseBinding({ hosts: ['a.test'], in: ['header:X-Api-Key'] }, 'o');
    expect(places).toEqual(['header:x-api-key']);
  });

  it.each([
    [{}, /^The option o takes \{ hosts/],
    [{ hosts: [], in: ['query'] }, /takes \{ hosts/],
    [{ hosts: ['a.test'], in: [] }, /takes \{ hosts/],
    [{ hosts: [1], in: ['query'] }, /takes \{ hosts/],
    [undefined, /takes \{ hosts/],
    [{ hosts: ['a.test'], in: ['path'] }, /o\.in takes .* not "path"/],
    [{ hosts: ['a.test'], in: ['body:key'] }, /not "body:key"/],
    [{ hosts: ['*'], in: ['query'] }, /o\.hosts cannot be read: .*every host/],
    [{ hosts: ['https://a.test/path'], in: ['query'] }, /Remove the path/],
  ])('%j is refused', (binding, message) => {
    expect(() => parseBinding(binding as never, 'o')).toThrow(
      expect.objectContaining({
        code: 'INVALID_OPTIONS',
        message: expect.stringMatching(message),
      }),
    );
  });
});

describe('a value', () => {
  it.each(['12345678', 'a b c d e', 'x'.repeat(4096)])('%s can be a secret', (value) => {
    expect(() => checkValue(value, 'o')).not.toThrow();
  });

  it.each(['', 'seven77', 'x'.repeat(4097), 'line\nbreak', ' leading', 'schlüssel'])(
    '%j cannot, and the error does not repeat it',
    (value) => {
      expect(() => checkValue(value, 'o')).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTIONS',
          message: expect.not.stringContaining(value === '' ? 'Ø' : value),
        }),
      );
    },
  );
});
