import { BulkheadError } from '../../errors.js';

/** An issuer of tokens that the operator trusts, and the URL of its keys. */
export interface PinnedIssuer {
  /** As tokens name it, in `iss` or in `endpoints.studio`. */
  readonly issuer: string;
  /** The URL of its JWKS. Default: Vertesia's path below the issuer. */
  readonly jwks?: string;
}

/** The issuer of a token. */
export interface FoundIssuer {
  readonly issuer: string;
  readonly jwks: string;
}

/** The pinned issuers. Keys of other issuers are never fetched. */
export interface Issuers {
  /** Finds by the token's `iss`, or by its `endpoints.studio` if the token has no `iss`. */
  find(claims: { readonly iss: unknown; readonly endpoints: unknown }): FoundIssuer | undefined;
  readonly all: readonly FoundIssuer[];
}

/** Throws `INVALID_OPTIONS` for an issuer without a key URL, or with a key URL that is not protected. */
export function pinIssuers(pinned: readonly PinnedIssuer[]): Issuers {
  const byIssuer = new Map<string, FoundIssuer>();
  const byStudio = new Map<string, FoundIssuer>();
  for (const { issuer, jwks } of pinned) {
    const key = keyOf(issuer);
    if (key === undefined) {
      throw invalid(`${issuer} is not an issuer. Write it as in tokens, without user, query or #`);
    }
    if (jwks === undefined && !/^https?:/.test(key)) {
      throw invalid(`the issuer ${issuer} is not a URL. Add the URL of its keys: ISSUER=URL`);
    }
    byIssuer.set(key, { issuer, jwks: checkUrl(jwks ?? `${key}/.well-known/jwks`) });
    byStudio.set(key, { issuer, jwks: checkUrl(jwks ?? `${key}/api/v1/.well-known/jwks`) });
  }
  return {
    find: ({ iss, endpoints }) => {
      if (iss !== undefined) return lookUp(byIssuer, iss);
      return lookUp(byStudio, studioOf(endpoints));
    },
    all: [...byIssuer.values()],
  };
}

function lookUp(table: ReadonlyMap<string, FoundIssuer>, name: unknown): FoundIssuer | undefined {
  if (typeof name !== 'string' || name.length > MAX_ISSUER) return undefined;
  const key = keyOf(name);
  return key === undefined ? undefined : table.get(key);
}

const MAX_ISSUER = 2_000;

/**
 * The form in which issuers are compared: the whole parsed URL. A name with more than an origin and a
 * path (`https://attacker/#.vertesia.io`) is not an issuer.
 */
function keyOf(name: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(name)) return /^[\w.:-]+$/.test(name) ? name : undefined;
  if (!URL.canParse(name)) return undefined;
  const url = new URL(name);
  // guard: issuer-url-plain
  if (url.username !== '' || url.password !== '' || /[?#@\\]/.test(name)) return undefined;
  return `${url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** In Vertesia's tokens, `endpoints` is an object or the name of a host. */
function studioOf(endpoints: unknown): unknown {
  if (typeof endpoints === 'string') return `https://${endpoints}`;
  return typeof endpoints === 'object' && endpoints !== null && 'studio' in endpoints
    ? endpoints.studio
    : undefined;
}

function checkUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid(`${text} is not the URL of a key set`);
  }
  if (url.protocol === 'http:' && !isOwnMachine(url)) {
    throw invalid(
      `the key set ${text} is not protected. Use https; only loopback may be plain http`,
    );
  }
  return text;
}

/** Whether a URL names this machine, which needs no TLS. */
export function isOwnMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function invalid(why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option jwks is not valid: ${why}.`, {
    option: 'jwks',
  });
}
