import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type * as Jose from 'jose';
import type { importJWK, JWK } from 'jose';
import type { JsonObject } from '../../sandbox/wire/messages.js';
import { BulkheadError } from '../errors.js';
import { readPreviousJwks } from '../keys/identity-key.js';
import { REMOTE_LIMITS } from './limits.js';

/** The host's identity for servers that require a token. */
export interface IdentityOptions {
  /** The URL below which the public keys are served. A function if the URL is known only later. */
  readonly issuer: string | (() => string);
  /**
   * A private EC key (P-256) as JWK. Its member `previous` has public keys that it replaced; the JWKS serves
   * them too. Default: a new key in each run.
   */
  readonly key?: Readonly<Record<string, unknown>>;
  /** Default: `bulkhead`. */
  readonly subject?: string;
  /** The account of the calls. Default: none. */
  readonly account?: { readonly id: string; readonly name: string };
}

export interface Identity {
  /** A token for one audience, valid for at least five minutes. */
  tokenFor(audience: string): Promise<string>;
  /** The public keys that verify the tokens, as a JWKS. */
  jwks(): Promise<JsonObject>;
}

interface Keys {
  readonly privateKey: Awaited<ReturnType<typeof importJWK>>;
  readonly kid: string;
  readonly publicJwks: readonly JsonObject[];
}

/** Audiences with a cached token. */
const MAX_TOKENS = 1_000;

/** Generates keys at the first use. */
export function makeIdentity(options: IdentityOptions, now: () => number = Date.now): Identity {
  const { tokenMs } = REMOTE_LIMITS;
  if (options.key !== undefined) requirePrivateKey(options.key);
  // A call may take minutes, and its server may check the token at the end.
  const tokens = new LRUCache<string, string>({
    max: MAX_TOKENS,
    ttl: tokenMs / 2,
    ttlResolution: 0,
    perf: { now },
  });
  let keys: Promise<Keys> | undefined;
  const open = (): Promise<Keys> => (keys ??= openKeys(options.key));

  return {
    tokenFor: async (audience) => {
      const cached = tokens.get(audience);
      if (cached !== undefined) return cached;
      const { privateKey, kid } = await open();
      const { SignJWT } = await loadJose();
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
      tokens.set(audience, token, { start: atMs });
      return token;
    },
    jwks: async () => ({ keys: [...(await open()).publicJwks] }),
  };
}

/** Loaded on first use, because most engines call no remote tool server. */
function loadJose(): Promise<typeof Jose> {
  return import('jose');
}

interface PrivateJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

/** Throws `INVALID_OPTIONS`: at the start, and not when the first server needs a token. */
function requirePrivateKey({ kty, crv, x, y, d }: JWK): PrivateJwk {
  // guard: identity-key-is-private-p256
  if (kty !== 'EC' || crv !== 'P-256' || !isText(x) || !isText(y) || !isText(d)) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      'The option identity.key takes a private EC key of the curve P-256, as JWK.',
      { option: 'identity.key' },
    );
  }
  return { kty: 'EC', crv: 'P-256', x, y, d };
}

async function openKeys(given: IdentityOptions['key']): Promise<Keys> {
  const jwk: JWK = given === undefined ? await makeKey() : { ...given };
  const { kty, crv, x, y, d } = requirePrivateKey(jwk);
  const { calculateJwkThumbprint, importJWK } = await loadJose();
  const kid = jwk.kid ?? (await calculateJwkThumbprint({ kty, crv, x, y }));
  return {
    privateKey: await importJWK({ kty, crv, x, y, d }, 'ES256'),
    kid,
    publicJwks: [{ kty, crv, x, y, kid }, ...readPreviousJwks(given?.['previous'])].map((one) => ({
      ...one,
      alg: 'ES256',
      use: 'sig',
    })),
  };
}

async function makeKey(): Promise<JWK> {
  const { exportJWK, generateKeyPair } = await loadJose();
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return exportJWK(privateKey);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
