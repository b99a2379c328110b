import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError } from '../errors.js';

/** A public P-256 key as JWK, with its id. */
export interface PublicJwk {
  readonly kty: 'EC';
  readonly crv: 'P-256';
  readonly x: string;
  readonly y: string;
  readonly kid: string;
}

/**
 * The file of an identity: a private JWK. `previous` has the public keys that it replaced, which servers
 * need until the last token of an old key has expired (10 minutes).
 */
export interface IdentityKey extends PublicJwk {
  readonly d: string;
  readonly previous?: readonly PublicJwk[];
}

/** Retired public keys that an identity keeps. */
const MAX_PREVIOUS = 5;

/** A new key. It keeps the public keys of `before`. */
export function makeIdentityKey(before?: IdentityKey): IdentityKey {
  const {
    x = '',
    y = '',
    d = '',
  } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
  }).privateKey.export({ format: 'jwk' });
  const previous = before === undefined ? [] : [publicJwkOf(before), ...(before.previous ?? [])];
  return {
    kty: 'EC',
    crv: 'P-256',
    x,
    y,
    kid: thumbprintOf(x, y),
    d,
    ...(previous.length === 0 ? {} : { previous: previous.slice(0, MAX_PREVIOUS) }),
  };
}

/** Reads an identity's file. Throws `INVALID_KEY`. */
export function parseIdentityKey(text: string, name: string): IdentityKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const key = readPublicJwk(value);
  const d = isRecord(value) ? value['d'] : undefined;
  if (key === undefined || typeof d !== 'string' || !isRecord(value)) {
    throw new BulkheadError(
      'INVALID_KEY',
      `${name} is not a private EC key of the curve P-256 as JWK. Create one with \`bulkhead keys new identity\`.`,
      { file: name },
    );
  }
  const previous = readPreviousJwks(value['previous']);
  return { ...key, d, ...(previous.length === 0 ? {} : { previous }) };
}

/** The valid public keys of `previous`. */
export function readPreviousJwks(value: unknown): readonly PublicJwk[] {
  return Array.isArray(value) ? value.flatMap((one) => readPublicJwk(one) ?? []) : [];
}

/** A token for an operator: 256 random bits in 43 characters. */
export function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

function publicJwkOf({ kty, crv, x, y, kid }: PublicJwk): PublicJwk {
  return { kty, crv, x, y, kid };
}

function readPublicJwk(value: unknown): PublicJwk | undefined {
  if (!isRecord(value)) return undefined;
  const { kty, crv, x, y, kid } = value;
  if (kty !== 'EC' || crv !== 'P-256' || typeof x !== 'string' || typeof y !== 'string') {
    return undefined;
  }
  return { kty, crv, x, y, kid: typeof kid === 'string' ? kid : thumbprintOf(x, y) };
}

/** RFC 7638. */
function thumbprintOf(x: string, y: string): string {
  const text = JSON.stringify({ crv: 'P-256', kty: 'EC', x, y });
  return createHash('sha256').update(text).digest('base64url');
}
