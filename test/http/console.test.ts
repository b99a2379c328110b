import { describe, expect, it } from 'vitest';
import { checkServerOptions, type RunningServer, startServer } from '../../src/http/server.js';
import { silentLogger, startEngine } from '../engine/plugin-on-disk.js';
import { afterEachFile } from '../tidying.js';

const servers: RunningServer[] = [];
afterEachFile(() => Promise.all(servers.splice(0).map((server) => server.stop())));

const TOKENS = {
  call: 'calls-calls-calls',
  view: 'views-views-views',
  answer: 'answers-answers-a',
  administer: 'admins-admins-adm',
};

async function start(options: Parameters<typeof startServer>[1] = {}): Promise<RunningServer> {
  const engine = await startEngine([]);
  const server = await startServer(
    engine,
    { port: 0, credentials: TOKENS, console: { operator: 'ada' }, ...options },
    silentLogger,
  );
  servers.push(server);
  return server;
}

/** Sends one request, with any Host header. */
async function enterWith(server: RunningServer, token: string): Promise<Response> {
  return fetch(`${server.url}/console/enter`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      origin: new URL(server.url).origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ token }),
  });
}

describe('a server with a console', () => {
  it('gives a link on loopback, and lets in the tokens that view, answer and administer', async () => {
    const server = await start();
    expect(server.consoleLink).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/console\/enter\?code=[\w-]{43}$/,
    );
    const statuses = await Promise.all(
      [TOKENS.view, TOKENS.answer, TOKENS.administer, TOKENS.call, 'nonsense'].map(
        async (token) => (await enterWith(server, token)).status,
      ),
    );
    expect(statuses).toEqual([303, 303, 303, 401, 401]);
  });

  it('answers to its own host names alone', async () => {
    const server = await start();
    const { request } = await import('node:http');
    const status = await new Promise((resolve, reject) => {
      request(`${server.url}/console/enter`, { headers: { host: 'evil.test' } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect(status).toBe(421);
  });

  it('needs its own URL on other addresses, and gives no link there', async () => {
    const options = { host: '0.0.0.0', credentials: TOKENS, console: { operator: 'ada' } };
    expect(() => checkServerOptions(options)).toThrow('needs the URL that browsers use');
    const server = await start({ host: '0.0.0.0', publicUrl: 'https://tools.example' });
    expect(server.consoleLink).toBeUndefined();
    const other = await fetch(
      `http://127.0.0.1:${new URL(server.url).port || '0'}/console/enter`,
    ).catch(() => undefined);
    expect(other?.status).not.toBe(200);
  });

  it('takes no path of the console for another endpoint', () => {
    expect(() => checkServerOptions({ mcp: { path: '/console' } })).toThrow(
      'is the path of another endpoint',
    );
  });

  it('stops while a page is open', async () => {
    const server = await start();
    const entered = await enterWith(server, TOKENS.view);
    const cookie = (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const events = await fetch(`${server.url}/console/events`, { headers: { cookie } });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(await server.stop()).toBe(true);
    expect(await events.text()).toContain('event: approvals');
  });
});
