import { createHash } from 'node:crypto';
import {
  type CryptoKey,
  decodeJwt,
  decodeProtectedHeader,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { isRecord } from '../../../sandbox/wire/json.js';
import { BulkheadError, messageOf } from '../../errors.js';
import { makeOrigin, type Origin, type OriginSpec, readAll } from '../../remotes/origin.js';
import { TOKEN_LIMITS, type TokenLimits } from '../limits.js';
import { HttpRefusal } from '../refusal.js';
import {
  type FoundIssuer,
  type Issuers,
  isOwnMachine,
  type PinnedIssuer,
  pinIssuers,
} from './issuers.js';
import { ALGORITHMS, type Algorithm, type Keys, makeKeys } from './keys.js';

export interface VerifierOptions {
  /** The trusted issuers. Default: none, so every token is refused. */
  readonly jwks?: readonly PinnedIssuer[];
  /** A token's `aud` must contain one of these. Default: `aud` is not checked. */
  readonly audience?: readonly string[];
  /** Ids of the accounts that may call. Default: all. */
  readonly organizations?: readonly string[];
  readonly network?: OriginSpec['network'];
  readonly limits?: Partial<TokenLimits>;
  /** Receives the reason why keys could not be fetched, for the operator's log. */
  readonly onKeysFailed?: (jwks: string, why: string) => void;
}

/** The verified caller. The token itself is not passed on. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** The id of the token's account. */
  readonly organization: string | undefined;
}

/**
 * The tenant of a caller's calls: the account of that issuer, or the subject of a token without an
 * account. The names of pinned issuers contain no `@`.
 */
export function tenantOf({ issuer, organization, subject = '' }: Principal): string {
  const who = organization === undefined ? `subject:${subject}` : `account:${organization}`;
  return `${who}@${issuer}`;
}

/** Verifies tokens with the keys of pinned issuers. */
export interface Verifier {
  /** Verifies an Authorization header. Rejects with 401, or with 403 for an account that may not call. */
  verify(authorization: string | null): Promise<Principal>;
  /** Fetches every key set again at its next use. */
  refresh(): void;
  close(): Promise<void>;
}

/** What decides which key verifies a token. */
interface ReadToken {
  readonly algorithm: Algorithm;
  readonly kid: string;
  readonly issuer: FoundIssuer;
}

/** Verified tokens that are remembered by their digests. */
const MAX_VERIFIED = 1_000;

/**
 * A token that was verified. It is good again, without another check of its signature, as long as its
 * issuer's key set holds the very key that verified it, and it has not expired.
 */
interface VerifiedToken extends ReadToken {
  readonly key: JWK;
  /** Seconds since 1970. */
  readonly expires: number;
  readonly principal: Principal;
}

/** Throws `INVALID_OPTIONS` for issuers that cannot be pinned. */
export function makeVerifier(options: VerifierOptions): Verifier {
  const { audience = [], organizations = [], network } = options;
  const limits = { ...TOKEN_LIMITS, ...options.limits };
  const issuers = pinIssuers(options.jwks ?? []);
  const origins: Origin[] = [];
  /** One set for each pinned issuer, never one for each issuer that a token names. */
  const sets = new Map<string, Keys>();
  const verified = new LRUCache<string, VerifiedToken>({ max: MAX_VERIFIED });
  const read = (token: string): ReadToken => {
    const { algorithm, kid, claims } = decode(token);
    const issuer = issuers.find({ iss: claims.iss, endpoints: claims['endpoints'] });
    // guard: token-issuer-pinned
    if (issuer === undefined) throw issuerDenied(claims, issuers);
    return { algorithm, kid, issuer };
  };
  const isCurrent = (expires: number): boolean => expires * 1000 > Date.now() - limits.clockSkewMs;

  const openKeys = (jwks: string): Keys => {
    const url = new URL(jwks);
    const origin = makeOrigin({
      name: `the key set ${jwks}`,
      origin: url.origin,
      // The operator pinned the address, so it may be private, unless a proxy decides.
      allowPrivate: isOwnMachine(url) || network?.proxy === undefined,
      remedy: 'serve it on loopback, or at a public address',
      limits: { totalMs: limits.keySetMs, maxResponseBytes: limits.maxKeySetBytes },
      ...(network === undefined ? {} : { network }),
    });
    origins.push(origin);
    return makeKeys({
      fetch: () =>
        fetchText(origin, jwks, limits).catch((error: unknown) => {
          options.onKeysFailed?.(jwks, messageOf(error));
          throw error;
        }),
      now: () => performance.now(),
      limits,
    });
  };
  const keysOf = ({ jwks }: FoundIssuer): Keys => {
    const keys = sets.get(jwks) ?? openKeys(jwks);
    sets.set(jwks, keys);
    return keys;
  };

  return {
    verify: async (authorization) => {
      const token = bearerOf(authorization, limits.maxTokenBytes);
      const digest = createHash('sha256').update(token).digest('base64');
      const seen = verified.get(digest);
      const { algorithm, kid, issuer } = seen ?? read(token);
      const key = await keysOf(issuer)
        .find(kid, algorithm)
        .catch(() => {
          throw unauthorized(`The keys of ${issuer.issuer} are not available`);
        });
      if (key === undefined) {
        throw unauthorized('no applicable key found in the JSON Web Key Set');
      }
      // guard: verified-token-same-key
      const isKnown = seen !== undefined && seen.key === key;
      // guard: verified-token-not-expired
      if (isKnown && isCurrent(seen.expires)) return seen.principal;
      let payload: JWTPayload;
      try {
        const result = await jwtVerify(token, await imported(key, algorithm), {
          algorithms: [algorithm],
          // guard: token-expiry-required
          requiredClaims: ['exp'],
          clockTolerance: limits.clockSkewMs / 1000,
          currentDate: new Date(),
          // guard: token-audience-checked
          ...(audience.length === 0 ? {} : { audience: [...audience] }),
        });
        payload = result.payload;
      } catch (error) {
        // jose's messages name claims and never contain their values.
        throw unauthorized(error instanceof Error ? error.message : 'Invalid JWT');
      }
      const organization = checkAccount(payload['account'], organizations);
      const principal = { issuer: issuer.issuer, subject: payload.sub, organization };
      const { exp: expires = 0 } = payload;
      verified.set(digest, { algorithm, kid, issuer, key, expires, principal });
      return principal;
    },
    refresh: () => {
      for (const keys of sets.values()) keys.forget();
    },
    close: async () => {
      await Promise.all(origins.map((origin) => origin.close()));
    },
  };
}

/** The imported keys of the sets in use: to import one takes as long as to verify a token. */
const importedKeys = new WeakMap<JWK, CryptoKey | Uint8Array>();

/** A key fits one algorithm. */
async function imported(key: JWK, algorithm: Algorithm): Promise<CryptoKey | Uint8Array> {
  const known = importedKeys.get(key);
  if (known !== undefined) return known;
  const made = await importJWK(key, algorithm);
  importedKeys.set(key, made);
  return made;
}

/** The token of an Authorization header. Throws 401, with the messages of Vertesia's own servers. */
function bearerOf(header: string | null, maxBytes: number): string {
  if (header === null || header.trim() === '') throw unauthorized('Missing Authorization header');
  if (header.length > maxBytes) throw unauthorized('The Authorization header is too long');
  const [scheme = '', token, ...rest] = header.trim().split(/ +/);
  if (scheme.toLowerCase() !== 'bearer') {
    throw unauthorized(`Authorization scheme ${scheme.slice(0, 40)} is not supported`);
  }
  if (token === undefined) throw unauthorized('Missing bearer token value');
  if (rest.length > 0) throw unauthorized('Invalid JWT');
  return token;
}

function unauthorized(message: string): HttpRefusal {
  return new HttpRefusal(401, message, { headers: { 'www-authenticate': 'Bearer' } });
}

function decode(token: string): {
  readonly algorithm: Algorithm;
  readonly kid: string;
  readonly claims: JWTPayload;
} {
  let header: ReturnType<typeof decodeProtectedHeader>;
  let claims: JWTPayload;
  try {
    header = decodeProtectedHeader(token);
    claims = decodeJwt(token);
  } catch {
    throw unauthorized('Invalid JWT');
  }
  const algorithm = ALGORITHMS.find((name) => name === header.alg);
  if (algorithm === undefined) {
    throw unauthorized(`The token is not signed by ${ALGORITHMS.join(' or ')}`);
  }
  if (typeof header.kid !== 'string' || header.kid === '') {
    throw unauthorized('The token names no key (kid)');
  }
  return { algorithm, kid: header.kid, claims };
}

/** The id of the token's account. Throws 403 for an account that may not call. */
function checkAccount(account: unknown, allowed: readonly string[]): string | undefined {
  const { id, name } = isRecord(account) ? account : {};
  const organization = typeof id === 'string' ? id : undefined;
  if (allowed.length === 0 || (organization !== undefined && allowed.includes(organization))) {
    return organization;
  }
  const label = name ?? id;
  const shown = typeof label === 'string' ? label.slice(0, 200) : 'unknown';
  throw new HttpRefusal(403, `Organization ${shown} is not authorized to access this server`);
}

function issuerDenied({ iss }: JWTPayload, { all }: Issuers): HttpRefusal {
  if (all.length === 0) return unauthorized('This server trusts no issuer');
  const name: unknown = iss;
  return unauthorized(
    typeof name === 'string'
      ? `Issuer is not allowed: ${name.slice(0, 200)}`
      : 'No issuer URL found in JWT',
  );
}

async function fetchText(origin: Origin, url: string, limits: TokenLimits): Promise<string> {
  const request = { url, method: 'GET', headers: [['accept', 'application/json']] as const };
  const { status, body } = await origin.send(request, AbortSignal.timeout(limits.keySetMs));
  if (status !== 200) {
    body?.cancel('not a key set');
    throw new BulkheadError('NETWORK_FAILED', `The key set ${url} was answered with ${status}.`, {
      host: new URL(url).host,
    });
  }
  return new TextDecoder().decode(await readAll(body, limits.maxKeySetBytes, url));
}
