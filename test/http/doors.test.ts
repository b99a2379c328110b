import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Credentials, Role } from '../../src/http/credentials.js';
import { makeMetricsServer } from '../../src/http/metrics.js';
import { type RunningServer, startServer } from '../../src/http/server.js';
import { makePlugin, silentLogger, startEngine } from '../engine/plugin-on-disk.js';
import { afterEachFile } from '../tidying.js';

const TOKENS: Credentials = {
  call: 'calls-calls-calls',
  view: 'views-views-views',
  answer: 'answers-answers-a',
  administer: 'admins-admins-adm',
};

const HTTP = fileURLToPath(new URL('../../src/http/', import.meta.url));

const closing: (() => Promise<unknown>)[] = [];
afterEachFile(() => Promise.all(closing.splice(0).map((close) => close())));

/** A server with every endpoint there is. */
async function startAll(openLoopback = false): Promise<RunningServer> {
  const engine = await startEngine([makePlugin({ tools: { run: '() => 1' } })]);
  const server = await startServer(
    engine,
    {
      port: 0,
      credentials: TOKENS,
      openLoopback,
      approvals: true,
      console: { operator: 'ada' },
      mcp: { path: '/mcp' },
      vertesia: { path: '/tools' },
    },
    silentLogger,
  );
  closing.push(() => server.stop());
  return server;
}

interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** The credentials that it accepts. */
  readonly roles: readonly Role[];
}

/** Every endpoint that is not open by design, and not one of the console's pages. */
const ENDPOINTS: readonly Endpoint[] = [
  { method: 'GET', path: '/api/plugins', roles: ['view'] },
  { method: 'GET', path: '/api/approvals', roles: ['view', 'answer'] },
  { method: 'POST', path: '/api/approvals/apr_x', roles: ['answer'] },
  { method: 'GET', path: '/api/files?plugin=sample', roles: ['view'] },
  { method: 'GET', path: '/api/files/x?plugin=sample', roles: ['view'] },
  { method: 'POST', path: '/mcp', roles: ['call'] },
  { method: 'GET', path: '/mcp', roles: ['call'] },
];

const ROLES: readonly Role[] = ['call', 'view', 'answer', 'administer'];

/** Sends one request, with any headers. */
function ask(
  url: string,
  { method, path }: Pick<Endpoint, 'method' | 'path'>,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      { method, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      },
    );
    sent.on('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('every endpoint of a server', () => {
  it('needs a token of its own purpose, also on loopback', async () => {
    const { url } = await startAll();
    for (const endpoint of ENDPOINTS) {
      expect([endpoint, await ask(url, endpoint)]).toEqual([endpoint, 401]);
      for (const role of ROLES) {
        const status = await ask(url, endpoint, bearer(TOKENS[role]));
        const refused = status === 401 || status === 403;
        expect([endpoint, role, refused]).toEqual([endpoint, role, !endpoint.roles.includes(role)]);
      }
    }
  });

  it('refuses other host names, other origins, other sites and forms', async () => {
    const { url } = await startAll();
    for (const endpoint of ENDPOINTS) {
      const token = bearer(TOKENS[endpoint.roles[0] ?? 'call']);
      for (const [header, value, status] of [
        ['host', 'rebound.test', 421],
        ['origin', 'https://evil.test', 403],
        ['sec-fetch-site', 'cross-site', 403],
        ['sec-fetch-site', 'same-site', 403],
        ...(endpoint.method === 'POST' ? ([['content-type', 'text/plain', 415]] as const) : []),
      ] as const) {
        const got = await ask(url, endpoint, { ...token, [header]: value });
        expect([endpoint, header, got]).toEqual([endpoint, header, status]);
      }
    }
  });

  it('is open only if it says no more than a status, or lists tools as Vertesia’s protocol wants', async () => {
    const { url } = await startAll();
    for (const path of ['/healthz', '/readyz']) {
      const answer = await fetch(`${url}${path}`);
      expect(Object.keys((await answer.json()) as object)).toEqual(['status']);
    }
    expect(await ask(url, { method: 'GET', path: '/tools' })).toBe(200);
    expect(await ask(url, { method: 'POST', path: '/tools' })).toBe(401);
    for (const path of ['/activities/sample__run', '/activities/other']) {
      expect([path, await ask(url, { method: 'POST', path })]).toEqual([path, 401]);
    }
    for (const path of ['/', '/api', '/console', '/console/plugins', '/console/calls']) {
      expect([path, await ask(url, { method: 'GET', path })]).toEqual([
        path,
        path.startsWith('/console') ? 303 : 404,
      ]);
    }
    expect(await ask(url, { method: 'GET', path: '/console/events' })).toBe(401);
  });

  it('is in this test', () => {
    const known = ENDPOINTS.map(({ path }) =>
      path.replace(/\?.*/, '').replace(/apr_x$|\bx$/, ':id'),
    );
    const written = readdirSync(HTTP)
      // An endpoint that a host mounts behind its own door.
      .filter((name) => name.endsWith('.ts') && name !== 'tool-endpoint.ts')
      .flatMap((name) => [
        ...readFileSync(join(HTTP, name), 'utf8').matchAll(/(?:path: |app\.\w+\()'(\/[^']*)'/g),
      ])
      .map(([, path = '']) => path);
    expect(written.length).toBeGreaterThan(4);
    expect(written.filter((path) => !known.includes(path))).toEqual([]);
  });

  it('with --open-loopback still needs the token to answer, and a session for the console', async () => {
    const { url } = await startAll(true);
    for (const endpoint of ENDPOINTS) {
      const { roles } = endpoint;
      const isOpen = roles.includes('call') || roles.includes('view');
      expect([endpoint, (await ask(url, endpoint)) === 401]).toEqual([endpoint, !isOpen]);
    }
    expect(await ask(url, { method: 'GET', path: '/console/' })).toBe(303);
    const answer = { method: 'POST', path: '/api/approvals/apr_x' } as const;
    expect(await ask(url, answer, bearer(TOKENS.call))).toBe(403);
    // The exception is for this machine: pages of other origins stay out.
    const tools = { method: 'GET', path: '/api/plugins' } as const;
    expect(await ask(url, tools, { origin: 'https://evil.test' })).toBe(403);
  });

  it('has metrics only for the token to view, under its own host names', async () => {
    const metrics = await makeMetricsServer();
    const listener = await metrics.listen(
      { host: '127.0.0.1', port: 0 },
      { credentials: TOKENS, openLoopback: false },
    );
    closing.push(() => listener.close(false));
    const endpoint = { method: 'GET', path: '/metrics' } as const;
    const statuses = await Promise.all(
      [undefined, ...ROLES].map((role) =>
        ask(listener.url, endpoint, role === undefined ? {} : bearer(TOKENS[role])),
      ),
    );
    expect(statuses).toEqual([401, 403, 200, 403, 403]);
    const viewer = bearer(TOKENS.view);
    expect(await ask(listener.url, endpoint, { ...viewer, host: 'rebound.test' })).toBe(421);
  });
});

describe('the sessions of MCP clients behind a server', () => {
  it('have random ids, and answer 404 to another credential and to a guessed id', async () => {
    const server = await startAll();
    const send = (token: string, headers: Record<string, string>, message: object) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          ...bearer(token),
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
      });
    const open = async (): Promise<string> => {
      const params = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      };
      const opened = await send(TOKENS.call, {}, { method: 'initialize', params });
      await opened.text();
      return opened.headers.get('mcp-session-id') ?? '';
    };
    const [first, second] = [await open(), await open()];
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(second).not.toBe(first);
    const list = async (token: string, session: string): Promise<number> => {
      const headers = { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' };
      const answer = await send(token, headers, { method: 'tools/list' });
      await answer.text();
      return answer.status;
    };
    expect(await list(TOKENS.call, first)).toBe(200);
    expect(
      await list(
        TOKENS.call,
        first.replace(/.$/, (end) => (end === '0' ? '1' : '0')),
      ),
    ).toBe(404);
    // The token was replaced: the session of the old one belongs to nobody.
    await server.reload({ credentials: { call: 'other-other-other' } });
    expect(await list('other-other-other', first)).toBe(404);
    expect(await list(TOKENS.call, first)).toBe(401);
  });
});
