import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createEngine, type Engine } from '../../src/index.js';
import { type RunningServer, startServer } from '../../src/http/server.js';

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const CALLERS = 32;

interface Answer {
  readonly status: number;
  readonly connection: string | undefined;
}

describe('a server that stops under load', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createEngine({ plugins: [], logger: QUIET });
  });
  afterAll(() => engine.close());
  afterEach(() => vi.useRealTimers());

  const start = (): Promise<RunningServer> =>
    startServer(engine, { port: 0, mcp: { path: '/mcp' } }, QUIET);

  const ask = (
    { url, credentials }: RunningServer,
    path: string,
    agent: Agent,
    body?: string,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${path === '/mcp' ? credentials.call : credentials.view}`,
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      };
      const asked = request(
        `${url}${path}`,
        { agent, headers, method: body === undefined ? 'GET' : 'POST' },
        (response) => {
          response.resume();
          response.on('error', reject);
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, connection: response.headers.connection }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(body);
    });

  it.each([1, 2, 3, 4])(
    'resets no request (round %i)',
    async () => {
      const server = await start();
      const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
      const answers: Answer[] = [];
      const failures: string[] = [];
      const refusal = new AbortController();
      const ping = { jsonrpc: '2.0', id: 1, method: 'ping', params: { pad: 'x'.repeat(50_000) } };
      const caller = async (number: number): Promise<void> => {
        while (!refusal.signal.aborted) {
          const body = number % 2 === 0 ? undefined : JSON.stringify(ping);
          const path = body === undefined ? '/api/plugins' : '/mcp';
          await ask(server, path, agent, body).then(
            (answer) => answers.push(answer),
            (error: NodeJS.ErrnoException) => {
              // The port is closed: the client was told a second ago.
              if (error.code === 'ECONNREFUSED') refusal.abort();
              else failures.push(`${error.code ?? ''} ${error.message}`);
            },
          );
        }
      };
      const callers = Array.from({ length: CALLERS }, (_, number) => caller(number));
      await expect.poll(() => answers.length, { timeout: 10_000 }).toBeGreaterThan(100);
      expect(await server.stop()).toBe(true);
      await Promise.all(callers);
      agent.destroy();
      expect(failures).toEqual([]);
      const refused = answers.filter(({ status }) => status === 503);
      expect(refused.length).toBeGreaterThan(0);
      expect(refused.filter(({ connection }) => connection !== 'close')).toEqual([]);
    },
    40_000,
  );

  it('answers 503 at /readyz first, and 200 at /healthz, while its port is open', async () => {
    const server = await start();
    const agent = new Agent({ keepAlive: false });
    expect((await ask(server, '/readyz', agent)).status).toBe(200);
    const stopping = server.stop();
    const statuses = await Promise.all(
      ['/readyz', '/healthz', '/api/plugins'].map((path) => ask(server, path, agent)),
    );
    expect(statuses.map(({ status }) => status)).toEqual([503, 200, 503]);
    expect(await stopping).toBe(true);
  });

  it('does not reset a request that it reads when its port closes', async () => {
    const server = await startServer(
      engine,
      { port: 0, mcp: { path: '/mcp' }, limits: { drainGraceMs: 1_500 } },
      QUIET,
    );
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask(server, '/healthz', agent);
    const stopping = server.stop();
    // From here to the close, its connection is without a request for longer than others may be.
    await pause(1_200);
    const slow = request(`${server.url}/mcp`, {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.credentials.call}`,
        'content-type': 'application/json',
        'content-length': '100',
      },
    });
    const answered = new Promise<number | string>((resolve) => {
      slow.on('response', (response) => resolve(response.statusCode ?? 0));
      slow.on('error', ({ message }) => resolve(message));
    });
    // It never ends: the server reads it for half a second, in which the port closes.
    slow.write('{');
    expect(slow.reusedSocket).toBe(true);
    expect(await answered).toBe(503);
    slow.destroy();
    agent.destroy();
    expect(await stopping).toBe(true);
  });

  it('answers the first request of a connection that opened just before its port closed', async () => {
    // A connection without a request for a second is closed, so a try in which that took longer shows nothing.
    const tryOnce = async (): Promise<{ readonly idleMs: number; readonly first: string }> => {
      const server = await start();
      const { hostname, port } = new URL(server.url);
      const stopping = server.stop();
      await pause(900);
      const client = connect({ host: hostname, port: Number(port) });
      const first = new Promise<string>((resolve) => {
        client.once('data', (bytes: Buffer) => resolve(bytes.toString('latin1').slice(0, 12)));
        client.once('error', ({ message }) => resolve(message));
        client.once('close', () => resolve('closed'));
      });
      const openedMs = performance.now();
      await pause(450);
      const token = `Authorization: Bearer ${server.credentials.view}`;
      client.write(`GET /api/plugins HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${token}\r\n\r\n`);
      const idleMs = performance.now() - openedMs;
      const answer = { idleMs, first: await first };
      client.destroy();
      await stopping;
      return answer;
    };
    let tried = await tryOnce();
    for (let tries = 1; tried.idleMs > 800 && tries < 5; tries += 1) tried = await tryOnce();
    expect(tried.first).toBe('HTTP/1.1 503');
  });

  it('reads at most 16 MiB of a refused upload', async () => {
    const server = await start();
    // The time limit for a refused upload does not pass, nor does that of the server.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopping = server.stop();
    const endless = request(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.credentials.call}`,
        'content-type': 'application/json',
      },
    });
    const answered = new Promise<number>((resolve, reject) => {
      endless.on('response', (response) => resolve(response.statusCode ?? 0));
      endless.on('error', reject);
    });
    const chunk = Buffer.alloc(1024 * 1024);
    let isAnswered = false;
    const upload = (sent: number): void => {
      if (isAnswered || sent === 64) return;
      endless.write(chunk, () => upload(sent + 1));
    };
    upload(0);
    const late = pause(20_000, 'not answered', { ref: false });
    const status = await Promise.race([answered, late]);
    isAnswered = true;
    endless.destroy();
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    await stopping;
    expect(status).toBe(503);
  });

  it('lets a client read the refusal of an upload without end, and then cuts the upload', async () => {
    const server = await start();
    const { hostname, port } = new URL(server.url);
    const upload = async (path: string, token: string): Promise<string> => {
      // A client that does not stop when the server ends its half of the connection.
      const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      const head = [
        `POST ${path} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        'Transfer-Encoding: chunked',
        'Content-Type: application/json',
        'Accept: application/json, text/event-stream',
        `Authorization: Bearer ${token}`,
      ];
      client.write(`${head.join('\r\n')}\r\n\r\n`);
      let received = '';
      client.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
      // The cut.
      client.on('error', () => {});
      const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
      const timer = setInterval(() => client.writable && client.write(chunk), 5);
      await new Promise((resolve) => client.once('close', resolve));
      clearInterval(timer);
      return received.slice(0, received.indexOf('\r\n'));
    };
    const { call } = server.credentials;
    expect(
      await Promise.all([upload('/mcp', 'x'), upload('/mcp', call), upload('/nowhere', call)]),
    ).toEqual([
      'HTTP/1.1 401 Unauthorized',
      'HTTP/1.1 413 Payload Too Large',
      'HTTP/1.1 404 Not Found',
    ]);
    await server.stop();
  });

  it('closes idle connections, so that they do not delay its end', async () => {
    const server = await start();
    const agent = new Agent({ keepAlive: true });
    await ask(server, '/healthz', agent);
    const began = performance.now();
    await server.stop();
    expect(performance.now() - began).toBeLessThan(4_000);
    agent.destroy();
  });
});
