import {
  createLocalJWKSet,
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  jwtVerify,
} from 'jose';
import { describe, expect, it } from 'vitest';
import { makeIdentity } from '../../src/remotes/identity.js';

describe('tokens of the host', () => {
  it('are verified with the published keys, which are public', async () => {
    const identity = makeIdentity({ issuer: 'https://a.example' });
    const jwks = await identity.jwks();
    expect(JSON.stringify(jwks)).not.toContain('"d"');
    const token = await identity.tokenFor('https://b.example');
    const { payload } = await jwtVerify(token, createLocalJWKSet(jwks as never), {
      audience: 'https://b.example',
      issuer: 'https://a.example',
    });
    expect(payload).toMatchObject({ sub: 'bulkhead', endpoints: { studio: 'https://a.example' } });
  });

  it('are cached for each audience, and replaced five minutes before they expire', async () => {
    let now = Date.now();
    const identity = makeIdentity({ issuer: 'x' }, () => now);
    const first = await identity.tokenFor('a');
    expect(await identity.tokenFor('a')).toBe(first);
    expect(await identity.tokenFor('b')).not.toBe(first);
    now += 4 * 60_000;
    expect(await identity.tokenFor('a')).toBe(first);
    now += 2 * 60_000;
    expect(await identity.tokenFor('a')).not.toBe(first);
  });

  it('are signed with the given key, which must be a private P-256 key', async () => {
    const key = await exportJWK((await generateKeyPair('ES256', { extractable: true })).privateKey);
    const identity = makeIdentity({ issuer: 'x', key: { ...key, kid: 'mine' } });
    expect(decodeProtectedHeader(await identity.tokenFor('a')).kid).toBe('mine');
    const { d: _d, ...publicOnly } = key;
    expect(() => makeIdentity({ issuer: 'x', key: publicOnly })).toThrow('takes a private EC key');
  });

  it('use an issuer that is known only later', async () => {
    let issuer = 'early';
    const identity = makeIdentity({ issuer: () => issuer });
    issuer = 'late';
    const { payload } = await jwtVerify(
      await identity.tokenFor('a'),
      createLocalJWKSet((await identity.jwks()) as never),
    );
    expect(payload.iss).toBe('late');
  });
});
