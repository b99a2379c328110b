import type {
  FetchLike,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isRecord } from '../../../sandbox/wire/json.js';
import { isBulkheadError, messageOf } from '../../errors.js';
import { shellWord } from '../../visible.js';
import { remoteFailed } from '../description.js';
import type { OAuthOptions, RemoteLogin } from '../remote.js';
import { makeCredentialScrubber } from '../../brokers/network/secrets/credential-scrubber.js';
import { openCallback } from './login-callback.js';
import { type LoginFetchSpec, makeLoginFetch } from './login-fetch.js';
import { loadClientSdk, type McpClientSdk } from './sdk.js';

/** Stores one secret text for each server between runs. */
export interface LoginStore {
  /** `undefined` if there is none. Throws if it cannot be used. */
  read(id: string): string | undefined;
  /** Replaces the text; `undefined` deletes it. */
  write(id: string, text: string | undefined): Promise<void>;
}

export interface OAuthSpec extends LoginFetchSpec {
  readonly logins: LoginStore;
}

/** The login of this host at one MCP server. Its callers share it. */
export interface OAuthSession {
  /** The token of the next request. */
  token(): Promise<string | undefined>;
  /** Refreshes the token that the server refused. Rejects if only a person can log in again. */
  onUnauthorized(context: { readonly response: Response }): Promise<void>;
  /** The same `fetch`, which remembers the token of each request that the server refused. */
  watch(fetch: FetchLike): FetchLike;
  readonly logIn: (login: RemoteLogin) => Promise<void>;
  readonly logOut: () => Promise<void>;
  /** The tokens, which no text may contain. */
  secrets(): readonly string[];
  close(): Promise<void>;
}

/** What a login stored, for the server at `url` alone. */
interface Login {
  readonly url: string;
  readonly redirectUrl: string;
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
  /** Scopes that the server required later. The next login requests them too. */
  wanted?: string;
  /** The authorization server of the login. The MCP server cannot choose another one later. */
  discovery?: OAuthDiscoveryState;
}

/**
 * OAuth as a client, by MCP's own package: discovery, registration, PKCE, the check of `iss` and `resource`,
 * and refreshing. All its requests follow the rules of the network broker.
 */
export function makeOAuthSession(spec: OAuthSpec): OAuthSession {
  const { id, options, logins } = spec;
  const url = new URL(options.mcp).href;
  const settings: OAuthOptions =
    options.oauth === true || options.oauth === undefined || options.oauth === false
      ? {}
      : options.oauth;
  const { fetch, close } = makeLoginFetch(spec);
  const refused = new WeakMap<Response, string>();
  let refreshing: Promise<void> | undefined;

  const read = (): Login | undefined => {
    const text = logins.read(id);
    const login: unknown = text === undefined ? undefined : JSON.parse(text);
    // guard: login-bound-to-url
    return isLogin(login) && login.url === url ? login : undefined;
  };
  const needsPerson = (cause?: unknown): Error => {
    const command = `bulkhead remotes --login ${shellWord(id)}`;
    return remoteFailed(id, `${id} requires a login. Run: ${command}`, cause);
  };
  const refresh = async (token: string | undefined): Promise<void> => {
    const login = read();
    // Another call or process refreshed it meanwhile, or a person logged in.
    if (login?.tokens !== undefined && login.tokens.access_token !== token) return;
    if (login?.tokens?.refresh_token === undefined) throw needsPerson();
    const provider = makeProvider(login, settings, {
      state: () => '',
      redirect: (_page) => {
        throw needsPerson();
      },
      onTokens: () => logins.write(id, JSON.stringify(login)),
    });
    const mcp = await loadClientSdk();
    const done = await mcp.auth(provider, { serverUrl: url, fetchFn: fetch }).catch((error) => {
      throw isBulkheadError(error) ? error : needsPerson(error);
    });
    if (done !== 'AUTHORIZED') throw needsPerson();
  };

  /** Throws if the server requires more scopes, which only a person can grant: nothing is requested for a call. */
  const requireScope = async (response: Response): Promise<void> => {
    const { extractWWWAuthenticateParams, computeScopeUnion } = await loadClientSdk();
    const { error, scope } = extractWWWAuthenticateParams(response);
    if (error !== 'insufficient_scope') return;
    await response.body?.cancel();
    const login = read();
    const all = computeScopeUnion(login?.wanted, login?.tokens?.scope, readScope(scope));
    // guard: more-scope-by-a-person-alone
    if (login !== undefined && all !== undefined && all !== login.wanted) {
      await logins.write(id, JSON.stringify({ ...login, wanted: all }));
    }
    const named = scope === undefined ? '' : ` (${JSON.stringify(readScope(scope))})`;
    const command = `bulkhead remotes --login ${shellWord(id)}`;
    throw remoteFailed(
      id,
      `${id} requires more rights than its login has${named}. To request them, run: ${command}`,
    );
  };

  return {
    token: async () => read()?.tokens?.access_token,
    // Two refreshes at once would spend one refresh token twice, which ends the login.
    // guard: one-token-refresh
    onUnauthorized: ({ response }) =>
      (refreshing ??= refresh(refused.get(response)).finally(() => (refreshing = undefined))),
    watch: (send) => async (to, init) => {
      const response = await send(to, init);
      if (response.status === 403) await requireScope(response);
      const sent = new Headers(init?.headers).get('authorization')?.replace(/^Bearer /, '');
      if (response.status === 401 && sent !== undefined) refused.set(response, sent);
      return response;
    },
    secrets: () => {
      const { tokens, client } = read() ?? {};
      return [tokens?.access_token, tokens?.refresh_token, client?.client_secret].filter(
        (value) => value !== undefined,
      );
    },
    logIn: async ({ show, signal }) => {
      const mcp = await loadClientSdk();
      await using callback = await openCallback(settings.redirectPort ?? 0);
      const login: Login = { url, redirectUrl: callback.url, ...clientIn(settings) };
      const page: { url?: URL } = {};
      const provider = makeProvider(login, settings, {
        state: () => callback.state,
        redirect: (to) => {
          page.url = to;
        },
        onTokens: () => logins.write(id, JSON.stringify(login)),
      });
      try {
        const challenge = await challengeOf(mcp, url, fetch);
        const before = read()?.wanted;
        const wanted =
          before === undefined
            ? {}
            : { scope: mcp.computeScopeUnion(challenge.scope ?? settings.scope, before) ?? before };
        await mcp.auth(provider, { serverUrl: url, fetchFn: fetch, ...challenge, ...wanted });
        if (page.url === undefined) throw new Error('it has no login page');
        await show(checkPage(page.url, new URL(url)));
        const { code, iss } = await callback.answered(signal);
        await mcp.auth(provider, {
          serverUrl: url,
          authorizationCode: code,
          ...(iss === undefined ? {} : { iss }),
          fetchFn: fetch,
        });
      } catch (error) {
        const secrets = [login.tokens?.access_token, login.client?.client_secret];
        const scrub = makeCredentialScrubber(secrets.filter((value) => value !== undefined));
        const why = scrub(messageOf(error)).slice(0, 500);
        throw remoteFailed(id, `the login at ${id} failed: ${why}`, error);
      }
    },
    logOut: () => logins.write(id, undefined),
    close,
  };
}

/** Characters of the scopes that a server may require. */
const MAX_SCOPE = 1_000;

/** The scopes among a server's words, as RFC 6749 writes them. */
function readScope(text: string | undefined): string | undefined {
  const scopes = (text ?? '').slice(0, MAX_SCOPE).split(' ');
  const valid = scopes.filter((scope) => /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope));
  return valid.length === 0 ? undefined : valid.join(' ');
}

function isLogin(value: unknown): value is Login {
  return (
    isRecord(value) &&
    typeof value['url'] === 'string' &&
    typeof value['redirectUrl'] === 'string' &&
    (value['wanted'] === undefined || typeof value['wanted'] === 'string') &&
    isRecord(value['tokens']) &&
    typeof value['tokens']['access_token'] === 'string'
  );
}

function clientIn({ clientId, clientSecret }: OAuthOptions): Pick<Login, 'client'> {
  if (clientId === undefined) return {};
  return {
    client: {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    },
  };
}

/** What MCP's package asks of a client. The verifier and the state exist only during a login. */
function makeProvider(
  login: Login,
  { scope, clientSecret, clientMetadataUrl }: OAuthOptions,
  hooks: {
    readonly state: () => string;
    readonly redirect: (page: URL) => void;
    readonly onTokens: () => Promise<void>;
  },
): OAuthClientProvider {
  let verifier = '';
  return {
    redirectUrl: login.redirectUrl,
    ...(clientMetadataUrl === undefined ? {} : { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'Bulkhead',
      redirect_uris: [login.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope === undefined ? {} : { scope }),
    },
    state: hooks.state,
    clientInformation: (context) => {
      const { client } = login;
      // A client of the operator belongs to the authorization server that the login found.
      if (client !== undefined && context !== undefined) client.issuer ??= context.issuer;
      return client;
    },
    saveClientInformation: (client) => {
      login.client = client;
    },
    tokens: () => login.tokens,
    saveTokens: (tokens) => {
      login.tokens = tokens;
      return hooks.onTokens();
    },
    redirectToAuthorization: hooks.redirect,
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
    discoveryState: () => login.discovery,
    saveDiscoveryState: (state) => {
      login.discovery = state;
    },
    // In memory only: a refresh that failed does not delete a login that another process made.
    invalidateCredentials: (which) => {
      if (which === 'tokens' || which === 'all') delete login.tokens;
    },
  };
}

/** What the server says about its login when it is asked without a token. */
async function challengeOf(
  { extractWWWAuthenticateParams }: McpClientSdk,
  url: string,
  fetch: (url: string, init: RequestInit) => Promise<Response>,
): Promise<{ readonly resourceMetadataUrl?: URL; readonly scope?: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  await response.body?.cancel();
  if (response.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
  return {
    ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
    ...(scope === undefined ? {} : { scope }),
  };
}

/** A person opens the page: it is one of the web, or at the server's own loopback host. */
function checkPage(page: URL, server: URL): string {
  const isOwn = page.protocol === 'http:' && server.protocol === 'http:';
  // guard: login-page-https
  if (page.protocol !== 'https:' && !(isOwn && page.hostname === server.hostname)) {
    throw new Error(`its login page is not at https: but at ${page.origin}`);
  }
  return page.href;
}
