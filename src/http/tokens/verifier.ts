import { BulkheadError } from '../../errors.js';
import { makeOrigin, type Origin, type OriginSpec, readAll } from '../../remotes/origin.js';
import { TOKEN_LIMITS, type TokenLimits } from '../limits.js';
import { isOwnMachine, type PinnedIssuer, pinIssuers } from './issuers.js';
import { type Keys, makeKeys } from './keys.js';
import { makeVerify, type Verify } from './verify.js';

export interface VerifierOptions {
  /** Issuers whose tokens are believed. Without any, every token is refused. */
  readonly jwks?: readonly PinnedIssuer[];
  /** What a token's `aud` has to hold one of. Default: it is not asked. */
  readonly audience?: readonly string[];
  /** Ids of the accounts that may call. Default: all. */
  readonly organizations?: readonly string[];
  readonly network?: OriginSpec['network'];
  readonly limits?: Partial<TokenLimits>;
  /** Told why keys could not be had: for the operator's log. */
  readonly onKeysFailed?: (jwks: string, why: string) => void;
}

/** Tokens verified against the keys of pinned issuers. */
export interface Verifier {
  readonly verify: Verify;
  /** Has every key set fetched again when it is next needed. */
  refresh(): void;
  close(): Promise<void>;
}

/** Throws `INVALID_OPTIONS` for issuers that cannot be pinned. */
export function makeVerifier(options: VerifierOptions): Verifier {
  const limits = { ...TOKEN_LIMITS, ...options.limits };
  const origins: Origin[] = [];
  const sets = new Map<string, Keys>();

  const open = (jwks: string): Keys => {
    const url = new URL(jwks);
    const origin = makeOrigin({
      name: `the key set ${jwks}`,
      origin: url.origin,
      // The operator's own word, never a token's: where no proxy is in the way, it may be anywhere.
      allowPrivate: isOwnMachine(url) || options.network?.proxy === undefined,
      remedy: 'serve it on loopback, or at a public address',
      limits: { totalMs: limits.keySetMs, maxResponseBytes: limits.maxKeySetBytes },
      ...(options.network === undefined ? {} : { network: options.network }),
    });
    origins.push(origin);
    return makeKeys({
      fetch: () =>
        fetchText(origin, jwks, limits).catch((error: unknown) => {
          options.onKeysFailed?.(jwks, error instanceof Error ? error.message : String(error));
          throw error;
        }),
      now: () => performance.now(),
      limits,
    });
  };

  return {
    verify: makeVerify({
      issuers: pinIssuers(options.jwks ?? []),
      keysOf: ({ jwks }) => {
        // One for each that was pinned, never one for each that a token names.
        const keys = sets.get(jwks) ?? open(jwks);
        sets.set(jwks, keys);
        return keys;
      },
      audience: options.audience ?? [],
      organizations: options.organizations ?? [],
      now: () => new Date(),
      limits,
    }),
    refresh: () => {
      for (const keys of sets.values()) keys.forget();
    },
    close: async () => {
      await Promise.all(origins.map((origin) => origin.close()));
    },
  };
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
