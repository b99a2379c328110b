import { describe, expect, it } from 'vitest';
import { pinIssuers } from '../../../src/http/tokens/issuers.js';

const pinned = pinIssuers([
  { issuer: 'https://sts.vertesia.io', jwks: 'https://api.vertesia.io/api/v1/.well-known/jwks' },
  { issuer: 'https://api.vertesia.io/' },
  { issuer: 'house', jwks: 'http://127.0.0.1:4000/keys' },
]);
const find = (iss: unknown, endpoints?: unknown): string | undefined =>
  pinned.find({ iss, endpoints })?.jwks;

describe('pinned issuers', () => {
  it('are found by iss in any spelling of the URL', () => {
    const jwks = 'https://api.vertesia.io/api/v1/.well-known/jwks';
    expect(find('https://sts.vertesia.io')).toBe(jwks);
    expect(find('https://sts.vertesia.io/')).toBe(jwks);
    expect(find('HTTPS://STS.vertesia.io:443')).toBe(jwks);
    expect(find('https://api.vertesia.io')).toBe('https://api.vertesia.io/.well-known/jwks');
    expect(find('house')).toBe('http://127.0.0.1:4000/keys');
  });

  it('are found by endpoints.studio if a token has no iss', () => {
    const jwks = 'https://api.vertesia.io/api/v1/.well-known/jwks';
    expect(find(undefined, { studio: 'https://api.vertesia.io' })).toBe(jwks);
    expect(find(undefined, 'api.vertesia.io')).toBe(jwks);
    expect(find(undefined, { studio: 'https://evil.example' })).toBeUndefined();
    expect(find('https://evil.example', { studio: 'https://api.vertesia.io' })).toBeUndefined();
  });

  it.each([
    'http://attacker.example/#.vertesia.io',
    'http://attacker.example/?.vertesia.io',
    'https://attacker.example#https://sts.vertesia.io',
    'https://sts.vertesia.io@attacker.example',
    'https://user:pw@sts.vertesia.io',
    'https://sts.vertesia.io.attacker.example',
    'https://evilsts.vertesia.io',
    'https://sts.vertesia.io:8443',
    'http://sts.vertesia.io',
    'https://sts.vertesia.io/other',
    'https://sts.vertesia.io?x',
    'https://sts.vertesia.io\\@attacker.example',
    'https:\\\\sts.vertesia.io',
    ' https://sts.vertesia.io',
    'https://ѕts.vertesia.io',
    '__proto__',
    'constructor',
    '',
    7,
    null,
    ['https://sts.vertesia.io'],
    { toString: () => 'house' },
    `https://sts.vertesia.io/${'a'.repeat(3_000)}`,
  ])('do not include %j', (iss) => {
    expect(find(iss)).toBeUndefined();
  });

  it.each([
    [{ issuer: 'https://a.example', jwks: 'http://a.example/jwks' }, 'only loopback may be plain'],
    [{ issuer: 'http://a.example' }, 'only loopback may be plain http'],
    [{ issuer: 'https://a.example', jwks: 'file:///etc/passwd' }, 'is not the URL of a key set'],
    [{ issuer: 'https://a.example/#x' }, 'is not an issuer'],
    [{ issuer: 'house' }, 'Add the URL of its keys'],
  ])('are refused for %j', (issuer, why) => {
    expect(() => pinIssuers([issuer])).toThrow(why);
  });
});
