import { randomUUID } from 'node:crypto';
import {
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  SignJWT,
} from 'jose';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import { REMOTE_LIMITS } from './limits.js';

/** Who we say that we are, to servers that ask for a token. */
export interface IdentityOptions {
  /** The URL below which our public keys are served. A function where it is known only later. */
  readonly issuer: string | (() => string);
  /** A private EC key (P-256) as JWK. Default: one that is made anew each time. */
  readonly key?: Readonly<Record<string, unknown>>;
  /** Default: `bulkhead`. */
  readonly subject?: string;
  /** The account that calls are made for. */
  readonly account?: { readonly id: string; readonly name: string };
}

export interface Identity {
  /** A token for that audience and no other, good for five minutes at least. */
  tokenFor(audience: string): Promise<string>;
  /** The public keys by which tokens are verified, as a JWKS. */
  jwks(): Promise<JsonObject>;
}

interface Keys {
  readonly privateKey: Awaited<ReturnType<typeof importJWK>>;
  readonly kid: string;
  readonly publicJwk: JsonObject;
}

interface Signed {
  readonly token: string;
  readonly untilMs: number;
}

/** Keys are made when they are first needed. */
export function makeIdentity(options: IdentityOptions, now: () => number = Date.now): Identity {
  const { tokenMs } = REMOTE_LIMITS;
  const signed = new Map<string, Signed>();
  let keys: Promise<Keys> | undefined;
  const open = (): Promise<Keys> => (keys ??= openKeys(options.key));

  return {
    tokenFor: async (audience) => {
      const kept = signed.get(audience);
      // A call may take minutes, and its server may look at the token at the end of them.
      if (kept !== undefined && kept.untilMs - now() >= tokenMs / 2) return kept.token;
      const { privateKey, kid } = await open();
      const issuer = typeof options.issuer === 'string' ? options.issuer : options.issuer();
      const atMs = now();
      const token = await new SignJWT({
        ...(options.account === undefined ? {} : { account: { ...options.account } }),
        endpoints: { studio: issuer, store: issuer },
      })
        .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(options.subject ?? 'bulkhead')
        .setAudience(audience)
        .setIssuedAt(Math.floor(atMs / 1000))
        .setExpirationTime(Math.floor((atMs + tokenMs) / 1000))
        .setJti(randomUUID())
        .sign(privateKey);
      signed.set(audience, { token, untilMs: atMs + tokenMs });
      return token;
    },
    jwks: async () => ({ keys: [(await open()).publicJwk] }),
  };
}

async function openKeys(given: IdentityOptions['key']): Promise<Keys> {
  const jwk: JWK = given === undefined ? await makeKey() : { ...given };
  const { kty, crv, x, y, d } = jwk;
  if (kty !== 'EC' || crv !== 'P-256' || !isText(x) || !isText(y) || !isText(d)) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The option identity.key takes a private EC key of the curve P-256, as JWK.',
      { option: 'identity.key' },
    );
  }
  const kid = jwk.kid ?? (await calculateJwkThumbprint({ kty, crv, x, y }));
  return {
    privateKey: await importJWK({ kty, crv, x, y, d }, 'ES256'),
    kid,
    publicJwk: { kty, crv, x, y, kid, alg: 'ES256', use: 'sig' },
  };
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return exportJWK(privateKey);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
