import type { JWK } from 'jose';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { TokenLimits } from '../limits.js';

/** The allowed signature algorithms: those of Vertesia, and never one with a shared secret. */
export const ALGORITHMS = ['ES256', 'RS256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The keys of one issuer. */
export interface Keys {
  /**
   * The key with that id, if it fits the algorithm. An unknown id causes one new fetch, and then none
   * for `keysCooldownMs`. Rejects if the set is not available.
   */
  find(kid: string, algorithm: Algorithm): Promise<JWK | undefined>;
  /** Fetches the set again at the next use. */
  forget(): void;
}

export interface KeysSpec {
  /** Fetches the current text of the key set. */
  readonly fetch: () => Promise<string>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly limits: TokenLimits;
}

/** Not an lru-cache: its `fetch` has no limit for stale values, and no pause after a failure. */
export function makeKeys({ fetch, now, limits }: KeysSpec): Keys {
  let keys: readonly JWK[] = [];
  let fetchedAt = -Infinity;
  let failedAt = -Infinity;
  let failure: unknown;
  let searchedAt = -Infinity;
  let loading: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    try {
      keys = parseKeySet(await fetch(), limits.maxKeys);
      fetchedAt = now();
    } catch (error) {
      failedAt = now();
      failure = error;
      throw error;
    } finally {
      loading = undefined;
    }
  };
  const refresh = (): Promise<void> => (loading ??= load());

  /** Returns whether it fetched the set now. Throws if no set may be used. */
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
      // guard: key-fetch-cooldown
      if (now() - searchedAt < limits.keysCooldownMs && loading === undefined) return undefined;
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

/** Reads the public keys of the two supported kinds. Throws if the text is not a key set. */
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
  const named = alg === undefined ? { kid } : { kid, alg };
  // Private and shared fields are left out, even if the issuer publishes them.
  if (kty === 'EC' && crv === 'P-256' && typeof x === 'string' && typeof y === 'string') {
    return [{ ...named, kty, crv, x, y }];
  }
  if (kty === 'RSA' && typeof n === 'string' && typeof e === 'string') {
    return [{ ...named, kty, n, e }];
  }
  return [];
}

function fits({ kty, alg }: JWK, algorithm: Algorithm): boolean {
  return (alg ?? algorithm) === algorithm && kty === (algorithm === 'ES256' ? 'EC' : 'RSA');
}
