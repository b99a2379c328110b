import { decodeJwt, decodeProtectedHeader, importJWK, type JWTPayload, jwtVerify } from 'jose';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { TokenLimits } from '../limits.js';
import { HttpRefusal } from '../refusal.js';
import { bearerOf, unauthorized } from './bearer.js';
import type { FoundIssuer, Issuers } from './issuers.js';
import { ALGORITHMS, type Algorithm, type Keys } from './keys.js';

/** Who calls, by a token that was verified. The token itself goes no further. */
export interface Principal {
  readonly issuer: string;
  readonly subject: string | undefined;
  /** The account that the token speaks for. */
  readonly organization: string | undefined;
}

/**
 * Whom the engine has calls made for: an account, of that issuer; where a token speaks for none, its
 * subject. No pinned issuer's name holds an `@`.
 */
export function tenantOf({ issuer, organization, subject = '' }: Principal): string {
  const who = organization === undefined ? `subject:${subject}` : `account:${organization}`;
  return `${who}@${issuer}`;
}

export interface VerifySpec {
  readonly issuers: Issuers;
  readonly keysOf: (issuer: FoundIssuer) => Keys;
  /** Any of these has to be in the token's `aud`; none are asked for where it is empty. */
  readonly audience: readonly string[];
  /** Ids of the accounts that may call; all of them where it is empty. */
  readonly organizations: readonly string[];
  readonly now: () => Date;
  readonly limits: TokenLimits;
}

/** Verifies an Authorization header. Rejects with 401, or 403 for an account that may not call. */
export type Verify = (authorization: string | null) => Promise<Principal>;

export function makeVerify(spec: VerifySpec): Verify {
  return async (authorization) => {
    const token = bearerOf(authorization, spec.limits.maxTokenBytes);
    const { algorithm, kid, claims } = decode(token);
    const issuer = spec.issuers.find({ iss: claims.iss, endpoints: claims['endpoints'] });
    if (issuer === undefined) throw issuerDenied(claims, spec.issuers);
    const payload = await check(token, algorithm, kid, issuer, spec);
    const account = payload['account'];
    const organization =
      isRecord(account) && typeof account['id'] === 'string' ? account['id'] : undefined;
    if (
      spec.organizations.length > 0 &&
      (organization === undefined || !spec.organizations.includes(organization))
    ) {
      throw new HttpRefusal(
        403,
        `Organization ${nameOf(account)} is not authorized to access this server`,
      );
    }
    return { issuer: issuer.issuer, subject: payload.sub, organization };
  };
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

async function check(
  token: string,
  algorithm: Algorithm,
  kid: string,
  issuer: FoundIssuer,
  { keysOf, audience, now, limits }: VerifySpec,
): Promise<JWTPayload> {
  const found = await keysOf(issuer)
    .find(kid, algorithm)
    .catch(() => {
      throw unauthorized(`The keys of ${issuer.issuer} cannot be had`);
    });
  if (found === undefined) {
    throw unauthorized('no applicable key found in the JSON Web Key Set');
  }
  try {
    const { payload } = await jwtVerify(token, await importJWK(found, algorithm), {
      algorithms: [algorithm],
      requiredClaims: ['exp'],
      clockTolerance: limits.clockSkewMs / 1000,
      currentDate: now(),
      ...(audience.length === 0 ? {} : { audience: [...audience] }),
    });
    return payload;
  } catch (error) {
    // jose's messages name claims and never hold one's value.
    throw unauthorized(error instanceof Error ? error.message : 'Invalid JWT');
  }
}

function issuerDenied({ iss }: JWTPayload, { all }: Issuers): HttpRefusal {
  if (all.length === 0) return unauthorized('No issuer is trusted here');
  const name: unknown = iss;
  return unauthorized(
    typeof name === 'string'
      ? `Issuer is not allowed: ${name.slice(0, 200)}`
      : 'No issuer URL found in JWT',
  );
}

function nameOf(account: unknown): string {
  const name = isRecord(account) ? (account['name'] ?? account['id']) : undefined;
  return typeof name === 'string' ? name.slice(0, 200) : 'unknown';
}
