import { describe, expect, it } from 'vitest';
import { makeKeys, type Keys } from '../../../src/http/tokens/keys.js';
import { TOKEN_LIMITS } from '../../../src/http/limits.js';
import { makeVerifier } from '../../../src/http/tokens/verify.js';
import { makeIssuer } from '../issuer.js';

interface Fake {
  readonly keys: Keys;
  fetches: number;
  nowMs: number;
  answer: () => Promise<string>;
}

function makeFake(...kids: string[]): Fake {
  const fake: Fake = {
    fetches: 0,
    nowMs: 0,
    answer: () => Promise.resolve(setOf(...kids)),
    keys: makeKeys({
      fetch: () => {
        fake.fetches += 1;
        return fake.answer();
      },
      now: () => fake.nowMs,
      limits: TOKEN_LIMITS,
    }),
  };
  return fake;
}

function setOf(...kids: string[]): string {
  return JSON.stringify({
    keys: kids.map((kid) => ({ kid, kty: 'EC', crv: 'P-256', x: 'a', y: 'b' })),
  });
}

describe('the keys of an issuer', () => {
  it('are fetched once for concurrent tokens', async () => {
    const fake = makeFake('a');
    const found = await Promise.all(Array.from({ length: 20 }, () => fake.keys.find('a', 'ES256')));
    expect(found.every((key) => key?.kid === 'a')).toBe(true);
    expect(fake.fetches).toBe(1);
  });

  it('are fetched again for an unknown id, once per cooldown', async () => {
    const fake = makeFake('a');
    await fake.keys.find('a', 'ES256');
    for (let tries = 0; tries < 10; tries += 1) {
      expect(await fake.keys.find(`x${tries}`, 'ES256')).toBeUndefined();
    }
    expect(fake.fetches).toBe(2);
    fake.nowMs += TOKEN_LIMITS.keysCooldownMs;
    await fake.keys.find('x', 'ES256');
    expect(fake.fetches).toBe(3);
  });

  it('rotate without a restart: the new key verifies, the removed one does not', async () => {
    const fake = makeFake('old');
    await fake.keys.find('old', 'ES256');
    fake.answer = () => Promise.resolve(setOf('new'));
    expect(await fake.keys.find('new', 'ES256')).toMatchObject({ kid: 'new' });
    expect(await fake.keys.find('old', 'ES256')).toBeUndefined();
  });

  it('are not used after they are stale', async () => {
    const fake = makeFake('a');
    await fake.keys.find('a', 'ES256');
    fake.answer = () => Promise.resolve(setOf('b'));
    fake.nowMs += TOKEN_LIMITS.keysFreshMs;
    expect(await fake.keys.find('a', 'ES256')).toBeUndefined();
  });

  it('are used for a limited time while their issuer is down', async () => {
    const fake = makeFake('a');
    await fake.keys.find('a', 'ES256');
    fake.answer = () => Promise.reject(new Error('down'));
    fake.nowMs += TOKEN_LIMITS.keysFreshMs;
    expect(await fake.keys.find('a', 'ES256')).toMatchObject({ kid: 'a' });
    fake.nowMs += TOKEN_LIMITS.keysStaleMs;
    await expect(fake.keys.find('a', 'ES256')).rejects.toThrow('down');
  });

  it('that could not be fetched are not fetched again during the cooldown', async () => {
    const fake = makeFake();
    fake.answer = () => Promise.reject(new Error('down'));
    for (let tries = 0; tries < 5; tries += 1) {
      await expect(fake.keys.find('a', 'ES256')).rejects.toThrow('down');
    }
    expect(fake.fetches).toBe(1);
    fake.answer = () => Promise.resolve(setOf('a'));
    fake.nowMs += TOKEN_LIMITS.keysCooldownMs;
    expect(await fake.keys.find('a', 'ES256')).toMatchObject({ kid: 'a' });
  });

  it.each([
    ['of another use', { use: 'enc' }],
    ['of another algorithm', { alg: 'ES384' }],
    ['of another curve', { crv: 'P-384' }],
    ['that is a secret', { kty: 'oct', k: 'c2VjcmV0' }],
    ['without a name', { kid: undefined }],
  ])('do not include a key %s', async (_what, change) => {
    const fake = makeFake();
    const key = { kid: 'a', kty: 'EC', crv: 'P-256', x: 'a', y: 'b', ...change };
    fake.answer = () => Promise.resolve(JSON.stringify({ keys: [key, null, 7, 'x'] }));
    expect(await fake.keys.find('a', 'ES256')).toBeUndefined();
  });

  it.each(['', 'null', '[]', '{}', '{"keys":{}}', '<html>'])(
    'are not read from %j',
    async (text) => {
      const fake = makeFake();
      fake.answer = () => Promise.resolve(text);
      await expect(fake.keys.find('a', 'ES256')).rejects.toThrow(/JSON|key set/);
    },
  );

  it('are limited in number', async () => {
    const fake = makeFake(...Array.from({ length: TOKEN_LIMITS.maxKeys + 1 }, (_, at) => `k${at}`));
    await expect(fake.keys.find('k1', 'ES256')).rejects.toThrow('more than');
  });
});

describe('a key set on the network', () => {
  it.each([
    ['redirects', { status: 302, body: '', headers: { location: '/elsewhere' } }],
    ['is not there', { status: 404, body: '' }],
    ['is too long', { status: 200, body: `{"keys":[],"x":"${'x'.repeat(300 * 1024)}"}` }],
  ])('that %s verifies no token', async (_what, answer) => {
    const issuer = await makeIssuer();
    const token = await issuer.token();
    issuer.answer = answer;
    const why: string[] = [];
    const verifier = makeVerifier({
      jwks: [{ issuer: issuer.url, jwks: issuer.jwks }],
      onKeysFailed: (_jwks, reason) => why.push(reason),
    });
    await expect(verifier.verify(`Bearer ${token}`)).rejects.toMatchObject({ status: 401 });
    expect(why).toHaveLength(1);
    expect(issuer.seen).toEqual(['/api/v1/.well-known/jwks']);
    await verifier.close();
  });

  it('that never arrives verifies no token, and times out', async () => {
    const issuer = await makeIssuer();
    const token = await issuer.token();
    issuer.answer = { status: 200, body: '', never: true };
    const verifier = makeVerifier({
      jwks: [{ issuer: issuer.url, jwks: issuer.jwks }],
      limits: { keySetMs: 100 },
    });
    await expect(verifier.verify(`Bearer ${token}`)).rejects.toMatchObject({ status: 401 });
    await verifier.close();
  });
});
