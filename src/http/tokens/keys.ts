import type { JWK } from 'jose';
import { isRecord } from '../../../sandbox/wire/parse.js';
import type { TokenLimits } from '../limits.js';

/** The algorithms by which tokens may be signed: what Vertesia uses, and never a shared secret. */
export const ALGORITHMS = ['ES256', 'RS256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The keys of one issuer. */
export interface Keys {
  /**
   * The key of that id, fit for that algorithm. An id that is not known makes it look once whether
   * the issuer has a new one, and not again for a while. Rejects where the set cannot be had.
   */
  find(kid: string, algorithm: Algorithm): Promise<JWK | undefined>;
  /** Believes nothing that it fetched before. */
  forget(): void;
}

export interface KeysSpec {
  /** The text of the key set, as it now is. */
  readonly fetch: () => Promise<string>;
  /** Milliseconds that only ever grow. */
  readonly now: () => number;
  readonly limits: TokenLimits;
}

export function makeKeys({ fetch, now, limits }: KeysSpec): Keys {
  let keys: readonly JWK[] = [];
  let fetchedAt = -Infinity;
  let failedAt = -Infinity;
  let failure: unknown;
  let searchedAt = -Infinity;
  let underWay: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      keys = parseKeySet(await fetch(), limits.maxKeys);
      fetchedAt = now();
    } catch (error) {
      failedAt = now();
      failure = error;
      throw error;
    } finally {
      underWay = undefined;
    }
  };
  const refresh = (): Promise<void> => (underWay ??= load());

  /** Whether the set was fetched just now. Throws where there is none that may be used. */
  const freshen = async (): Promise<boolean> => {
    if (now() - fetchedAt < limits.keysFreshMs) return false;
    try {
      if (now() - failedAt < limits.keysCooldownMs) throw failure;
      await refresh();
      return true;
    } catch (error) {
      if (now() - fetchedAt < limits.keysStaleMs) return false;
      throw error;
    }
  };

  const search = (kid: string, algorithm: Algorithm): JWK | undefined =>
    keys.find((key) => key.kid === kid && fits(key, algorithm));

  return {
    find: async (kid, algorithm) => {
      const fetchedNow = await freshen();
      const known = search(kid, algorithm);
      if (known !== undefined || fetchedNow) return known;
      if (now() - searchedAt < limits.keysCooldownMs && underWay === undefined) return undefined;
      searchedAt = now();
      await refresh().catch(() => {});
      return search(kid, algorithm);
    },
    forget: () => {
      fetchedAt = -Infinity;
      failedAt = -Infinity;
      searchedAt = -Infinity;
    },
  };
}

/** Reads a key set: public keys of the two kinds that we use. Throws where it is none. */
function parseKeySet(text: string, maxKeys: number): readonly JWK[] {
  const set: unknown = JSON.parse(text);
  const keys = isRecord(set) ? set['keys'] : undefined;
  if (!Array.isArray(keys)) throw new Error('it is not a key set');
  if (keys.length > maxKeys) throw new Error(`it has more than ${maxKeys} keys`);
  return keys.flatMap((key: unknown) => parseKey(key));
}

function parseKey(key: unknown): JWK[] {
  if (!isRecord(key)) return [];
  const { kid, kty, alg, use, crv, x, y, n, e } = key;
  if (typeof kid !== 'string' || (use !== undefined && use !== 'sig')) return [];
  if (alg !== undefined && typeof alg !== 'string') return [];
  const said = alg === undefined ? { kid } : { kid, alg };
  // What is private or shared in it is left out, whoever published it.
  if (kty === 'EC' && crv === 'P-256' && typeof x === 'string' && typeof y === 'string') {
    return [{ ...said, kty, crv, x, y }];
  }
  if (kty === 'RSA' && typeof n === 'string' && typeof e === 'string') {
    return [{ ...said, kty, n, e }];
  }
  return [];
}

function fits({ kty, alg }: JWK, algorithm: Algorithm): boolean {
  return (alg ?? algorithm) === algorithm && kty === (algorithm === 'ES256' ? 'EC' : 'RSA');
}
