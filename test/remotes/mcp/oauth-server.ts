import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { afterEachTest } from '../../tidying.js';
import { echo } from './servers.js';

/** An MCP server behind OAuth, with its authorization server, on loopback until the end of the test. */
export interface OAuthServer {
  readonly url: string;
  readonly origin: string;
  /** Forms that came to the token endpoint. */
  readonly forms: URLSearchParams[];
  /** Paths that were asked for. */
  readonly seen: string[];
  /** Tokens that the MCP server accepts. */
  readonly valid: Set<string>;
  /** What a document says instead, by its path. */
  readonly documents: Map<string, object>;
  /** What a call requires beside a valid token: the scopes of the login. */
  required: string | undefined;
  /** The scopes that each login page was opened with. */
  readonly scopes: string[];
  /** What the login page adds to its return. */
  returned: Record<string, string>;
}

const open = new Set<() => void>();
afterEachTest(() => {
  for (const close of open) close();
  open.clear();
});

export async function serveOAuth(): Promise<OAuthServer> {
  const handler = createMcpHandler(() => {
    const server = new Server({ name: 'house', version: '2' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [echo] }));
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'done' }] }));
    return server;
  });
  const mcp = getRequestListener((request) => handler.fetch(request));
  const codes = new Map<string, URLSearchParams>();
  const refreshTokens = new Set<string>();
  const granted = new Map<string, string>();
  const issue = (scope = ''): object => {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    state.valid.add(access);
    granted.set(access, scope);
    refreshTokens.add(refresh);
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 60 };
  };
  const exchange = (form: URLSearchParams): object => {
    state.forms.push(form);
    // A refresh token is good for one use.
    if (form.get('grant_type') === 'refresh_token') {
      const known = refreshTokens.delete(form.get('refresh_token') ?? '');
      return known ? issue() : { error: 'invalid_grant' };
    }
    const asked = codes.get(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isSame = (name: string): boolean => asked?.get(name) === form.get(name);
    const good = asked?.get('code_challenge') === challenge && isSame('client_id');
    return good && isSame('redirect_uri') && isSame('resource')
      ? { ...issue(asked?.get('scope') ?? ''), scope: asked?.get('scope') ?? '' }
      : { error: 'invalid_grant' };
  };
  const authorize = (url: URL, response: ServerResponse): void => {
    const code = randomUUID();
    codes.set(code, url.searchParams);
    state.scopes.push(url.searchParams.get('scope') ?? '');
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    const given = { code, state: url.searchParams.get('state') ?? '', iss: state.origin };
    back.search = new URLSearchParams({ ...given, ...state.returned }).toString();
    response.writeHead(302, { location: back.href }).end();
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '/', state.origin);
    const { pathname } = url;
    state.seen.push(pathname);
    const token = request.headers.authorization?.replace('Bearer ', '');
    const isMissing =
      state.required !== undefined && !granted.get(token ?? '')?.includes(state.required);
    if (pathname === '/mcp' && state.valid.has(token ?? '') && isMissing) {
      const challenge = `Bearer error="insufficient_scope", scope="${state.required}"`;
      response.writeHead(403, { 'www-authenticate': challenge }).end();
      return;
    }
    if (pathname === '/mcp' && state.valid.has(token ?? '')) return mcp(request, response);
    if (pathname === '/mcp') {
      const where = `${state.origin}/.well-known/oauth-protected-resource/mcp`;
      const challenge = `Bearer resource_metadata="${where}", scope="tools"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    if (pathname === '/authorize') return authorize(url, response);
    const body = await textOf(request);
    const found =
      state.documents.get(pathname) ??
      (pathname === '/token' ? exchange(new URLSearchParams(body)) : undefined) ??
      (pathname === '/register' ? { ...JSON.parse(body), client_id: randomUUID() } : undefined);
    const status = found === undefined ? 404 : 'error' in found ? 400 : 200;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.add(() => {
    server.close();
    server.closeAllConnections();
    void handler.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: OAuthServer = {
    url: `${origin}/mcp`,
    origin,
    forms: [],
    seen: [],
    valid: new Set(),
    documents: new Map<string, object>([
      [
        '/.well-known/oauth-protected-resource/mcp',
        { resource: `${origin}/mcp`, authorization_servers: [origin] },
      ],
      ['/.well-known/oauth-authorization-server', metadataOf(origin)],
    ]),
    returned: {},
    required: undefined,
    scopes: [],
  };
  return state;
}

export function metadataOf(origin: string): Record<string, unknown> {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
