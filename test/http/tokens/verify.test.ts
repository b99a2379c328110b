import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  makeVerifier,
  type Verifier,
  type VerifierOptions,
} from '../../../src/http/tokens/verify.js';
import type { Principal } from '../../../src/http/tokens/verify.js';
import { type Issuer, makeIssuer, type TokenSpec } from '../issuer.js';

async function tryToken(
  issuer: Issuer,
  token: string,
  options: VerifierOptions = {},
): Promise<Principal | string> {
  const verifier = makeVerifier({ jwks: [{ issuer: issuer.url, jwks: issuer.jwks }], ...options });
  try {
    return await verifier.verify(`Bearer ${token}`).catch((error: Error) => error.message);
  } finally {
    await verifier.close();
  }
}

describe('a token', () => {
  it.each(['ES256', 'RS256'] as const)('signed by %s is accepted', async (alg) => {
    const issuer = await makeIssuer();
    const token = await issuer.token({ alg, kid: alg === 'ES256' ? 'es' : 'rs' });
    expect(await tryToken(issuer, token)).toEqual({
      issuer: issuer.url,
      subject: 'user-1',
      organization: 'org-1',
    });
  });

  it('is accepted without an account, endpoints or a subject', async () => {
    const issuer = await makeIssuer();
    const token = await issuer.token({ without: ['account', 'endpoints', 'sub'] });
    expect(await tryToken(issuer, token)).toMatchObject({ organization: undefined });
  });

  it('without an issuer is verified by endpoints.studio', async () => {
    const issuer = await makeIssuer();
    const token = await issuer.token({ without: ['iss'] });
    expect(await tryToken(issuer, token)).toMatchObject({ subject: 'user-1' });
    expect(await tryToken(issuer, token, { jwks: [{ issuer: issuer.url }] })).toMatchObject({
      subject: 'user-1',
    });
    expect(issuer.seen).toEqual(['/api/v1/.well-known/jwks', '/api/v1/.well-known/jwks']);
  });

  it('of an issuer pinned without a key URL is verified with the keys below the issuer', async () => {
    const issuer = await makeIssuer();
    await tryToken(issuer, await issuer.token(), { jwks: [{ issuer: issuer.url }] });
    expect(issuer.seen).toEqual(['/.well-known/jwks']);
  });

  const past = Math.floor(Date.now() / 1000) - 120;
  it.each<[string, TokenSpec, string]>([
    ['has expired', { claims: { exp: past } }, '"exp" claim timestamp check failed'],
    ['never expires', { without: ['exp'] }, 'missing required "exp" claim'],
    ['expires at no number', { claims: { exp: 'never' } }, '"exp" claim must be a number'],
    ['is not valid yet', { claims: { nbf: past + 600 } }, '"nbf" claim timestamp check failed'],
    ['names no key', { header: { kid: undefined } }, 'The token names no key (kid)'],
    ['names an unknown key', { kid: 'other' }, 'no applicable key found in the JSON Web Key Set'],
    ['names the key of another', { kid: 'es', alg: 'RS256' }, 'no applicable key'],
  ])('that %s is refused', async (_what, spec, why) => {
    const issuer = await makeIssuer();
    const before = issuer.answer;
    const token = await issuer.token(spec);
    issuer.answer = before;
    expect(await tryToken(issuer, token)).toContain(why);
  });

  it('with an unknown critical header is refused', async () => {
    const issuer = await makeIssuer();
    const header = encode({ alg: 'ES256', kid: 'es', crit: ['x'], x: 1 });
    const [, payload, signature] = (await issuer.token()).split('.');
    expect(await tryToken(issuer, `${header}.${payload}.${signature}`)).toContain(
      'Extension Header',
    );
  });

  it('is accepted for 30 s after it expires, for clocks that differ', async () => {
    const issuer = await makeIssuer();
    const token = await issuer.token({ claims: { exp: Math.floor(Date.now() / 1000) - 5 } });
    expect(await tryToken(issuer, token)).toMatchObject({ subject: 'user-1' });
  });

  it('must have the audience, if one is set', async () => {
    const issuer = await makeIssuer();
    const foreign = await issuer.token({ claims: { aud: 'another-audience' } });
    const none = await issuer.token({ without: ['aud'] });
    const several = await issuer.token({ claims: { aud: ['x', 'tools'] } });
    const options = { audience: ['tools'] };
    expect(await tryToken(issuer, foreign, options)).toContain('unexpected "aud" claim');
    expect(await tryToken(issuer, none, options)).toContain('missing required "aud" claim');
    expect(await tryToken(issuer, several, options)).toMatchObject({ subject: 'user-1' });
  });

  it('of an account that may not call is refused with the account’s name', async () => {
    const issuer = await makeIssuer();
    const options = { organizations: ['org-2'] };
    expect(await tryToken(issuer, await issuer.token(), options)).toBe(
      'Organization Acme is not authorized to access this server',
    );
    const without = await issuer.token({ without: ['account'] });
    expect(await tryToken(issuer, without, options)).toContain('is not authorized');
  });

  it('with a changed claim is refused', async () => {
    const issuer = await makeIssuer();
    const [header = '', payload = '', signature] = (await issuer.token()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const other = encode({ ...claims, sub: 'admin' });
    expect(await tryToken(issuer, `${header}.${other}.${signature}`)).toBe(
      'signature verification failed',
    );
  });

  it('without a signature, or signed with a shared secret, is refused', async () => {
    const issuer = await makeIssuer();
    const claims = { iss: issuer.url, exp: past + 1_000 };
    const unsigned = `${encode({ alg: 'none', kid: 'es' })}.${encode(claims)}.`;
    expect(await tryToken(issuer, unsigned)).toBe('The token is not signed by ES256 or RS256');
    // The public key taken for a shared secret: the oldest trick there is.
    const head = `${encode({ alg: 'HS256', kid: 'es' })}.${encode(claims)}`;
    const mac = createHmac('sha256', issuer.answer.body).update(head).digest('base64url');
    expect(await tryToken(issuer, `${head}.${mac}`)).toContain('is not signed by');
  });

  it.each(['', 'a', 'a.b', 'a.b.c', '..', '{}.{}.{}', 'é.é.é'])(
    'that is %j is refused',
    async (token) => {
      const issuer = await makeIssuer();
      expect(await tryToken(issuer, token)).toMatch(/^(Invalid JWT|Missing bearer token value)$/);
      expect(issuer.seen).toEqual([]);
    },
  );
});

describe('a token that was verified before', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  async function verifyTwice(
    between: (issuer: Issuer, verifier: Verifier) => void,
    spec?: TokenSpec,
  ): Promise<unknown> {
    const issuer = await makeIssuer();
    const verifier = makeVerifier({ jwks: [{ issuer: issuer.url, jwks: issuer.jwks }] });
    const header = `Bearer ${await issuer.token(spec)}`;
    try {
      const first = await verifier.verify(header);
      between(issuer, verifier);
      const second = await verifier.verify(header).catch((error: Error) => error.message);
      return second === first ? 'the same' : second;
    } finally {
      await verifier.close();
    }
  }

  it('is not verified again while its key is in use', async () => {
    expect(await verifyTwice(() => {})).toBe('the same');
  });

  it('is verified again with keys that were fetched again', async () => {
    const answer = await verifyTwice((_, verifier) => verifier.refresh());
    expect(answer).toMatchObject({ subject: 'user-1' });
  });

  it('is refused when its key was withdrawn', async () => {
    const answer = await verifyTwice((issuer, verifier) => {
      issuer.publish('rs');
      verifier.refresh();
    });
    expect(answer).toBe('no applicable key found in the JSON Web Key Set');
  });

  it('is refused when its key id has another key', async () => {
    const other = await makeIssuer();
    await other.token({ kid: 'other' });
    other.publish('other');
    const answer = await verifyTwice((issuer, verifier) => {
      issuer.answer = { status: 200, body: other.answer.body.replace('"other"', '"es"') };
      verifier.refresh();
    });
    expect(answer).toBe('signature verification failed');
  });

  it('is refused when it has expired', async () => {
    const answer = await verifyTwice(() => {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400_000 });
    });
    expect(answer).toBe('"exp" claim timestamp check failed');
  });
});

describe('an Authorization header', () => {
  it.each([
    [null, 'Missing Authorization header'],
    ['', 'Missing Authorization header'],
    ['   ', 'Missing Authorization header'],
    ['Basic dTpw', 'Authorization scheme Basic is not supported'],
    ['Bearer', 'Missing bearer token value'],
    ['bearer   ', 'Missing bearer token value'],
    ['Bearer a b', 'Invalid JWT'],
  ])('of %j is refused', async (header, why) => {
    const verifier = makeVerifier({});
    await expect(verifier.verify(header)).rejects.toMatchObject({ status: 401, message: why });
  });

  it('is not read if it is too long', async () => {
    const header = `Bearer ${'a'.repeat(20_000)}`;
    const why = 'The Authorization header is too long';
    await expect(makeVerifier({}).verify(header)).rejects.toMatchObject({
      status: 401,
      message: why,
    });
  });

  it('may have its scheme in any case, and several spaces after it', async () => {
    const issuer = await makeIssuer();
    const verifier = makeVerifier({ jwks: [{ issuer: issuer.url, jwks: issuer.jwks }] });
    for (const scheme of ['bearer', 'BEARER', 'BeArEr  ']) {
      expect(await verifier.verify(`${scheme} ${await issuer.token()}`)).toMatchObject({
        issuer: issuer.url,
        subject: 'user-1',
      });
    }
    await verifier.close();
  });
});

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
