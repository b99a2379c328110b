import { BulkheadError } from '../../errors.js';

/** An issuer of tokens that the operator trusts, and where its keys are. */
export interface PinnedIssuer {
  /** As tokens name it, in `iss` or in `endpoints.studio`. */
  readonly issuer: string;
  /** Its JWKS. Default: where Vertesia has it, below the issuer. */
  readonly jwks?: string;
}

/** Whose keys a token is checked with. */
export interface FoundIssuer {
  readonly issuer: string;
  readonly jwks: string;
}

/** The issuers that were pinned. Nobody else's keys are ever fetched. */
export interface Issuers {
  /** By the token's `iss`; by its `endpoints.studio` only where it names no issuer. */
  find(claims: { readonly iss: unknown; readonly endpoints: unknown }): FoundIssuer | undefined;
  readonly all: readonly FoundIssuer[];
}

/** Throws `INVALID_OPTIONS` for an issuer whose keys cannot be found, or would come in the open. */
export function pinIssuers(pinned: readonly PinnedIssuer[]): Issuers {
  const byIssuer = new Map<string, FoundIssuer>();
  const byStudio = new Map<string, FoundIssuer>();
  for (const { issuer, jwks } of pinned) {
    const key = keyOf(issuer);
    if (key === undefined) {
      throw invalid(`${issuer} is not an issuer: write it as tokens do, without user, query or #`);
    }
    if (jwks === undefined && !/^https?:/.test(key)) {
      throw invalid(`the issuer ${issuer} is no URL, so write where its keys are: ISSUER=URL`);
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
 * What an issuer is compared by: all of the parsed URL. A name that holds more than an origin and a
 * path (`https://attacker/#.vertesia.io`) is none.
 */
function keyOf(name: string): string | undefined {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(name)) return /^[\w.:-]+$/.test(name) ? name : undefined;
  if (!URL.canParse(name)) return undefined;
  const url = new URL(name);
  if (url.username !== '' || url.password !== '' || /[?#@\\]/.test(name)) return undefined;
  return `${url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** `endpoints` is a record, or the name of a host: both are Vertesia's. */
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
    throw invalid(`the key set ${text} would come unprotected: only loopback may be plain http`);
  }
  return text;
}

/** Whether a URL names this machine: the one place that needs no TLS. */
export function isOwnMachine({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function invalid(why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option jwks cannot be used: ${why}.`, {
    option: 'jwks',
  });
}
