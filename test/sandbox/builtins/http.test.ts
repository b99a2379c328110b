import type * as NodeHttp from 'node:http';
import type * as NodeUtil from 'node:util';
import { createServer, type Server } from 'node:http';
import { parseArgs as nodeParseArgs } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

const http = await loadBuiltin<typeof NodeHttp>('http');
const https = await loadBuiltin<typeof NodeHttp>('https');
const { parseArgs } = await loadBuiltin<typeof NodeUtil>('util');

interface Got {
  readonly status: number | undefined;
  readonly headers: NodeHttp.IncomingHttpHeaders;
  readonly body: string;
}

function read(response: NodeHttp.IncomingMessage): Promise<Got> {
  return new Promise((resolve, reject) => {
    let body = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => (body += chunk));
    response.on('error', reject);
    response.on('end', () =>
      resolve({ status: response.statusCode, headers: response.headers, body }),
    );
  });
}

describe('http.request over fetch', () => {
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/never') return;
      let body = '';
      request.on('data', (chunk: Buffer) => (body += String(chunk)));
      request.on('end', () => {
        const status = request.url === '/moved' ? 302 : 200;
        response.writeHead(status, { location: '/a', 'set-cookie': ['a=1', 'b=2'] });
        const { method, url, headers } = request;
        response.end(
          JSON.stringify({ method, url, body, own: headers['x-own'], auth: headers.authorization }),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    port = typeof address === 'object' && address !== null ? address.port : 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('sends a body and headers, and answers with a stream', async () => {
    const got = await new Promise<Got>((resolve, reject) => {
      const request = http.request(
        { hostname: '127.0.0.1', port, path: '/a?b=1', method: 'POST', auth: 'u:p' },
        (response) => void read(response).then(resolve, reject),
      );
      request.on('error', reject);
      request.setHeader('X-Own', 'mine');
      request.write('first ');
      request.end('second');
    });
    expect(got.status).toBe(200);
    expect(JSON.parse(got.body)).toEqual({
      method: 'POST',
      url: '/a?b=1',
      body: 'first second',
      own: 'mine',
      auth: `Basic ${btoa('u:p')}`,
    });
    expect(got.headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });

  it('takes a URL, and follows no redirect', async () => {
    const got = await new Promise<Got>((resolve, reject) => {
      const url = new URL(`http://127.0.0.1:${port}/moved`);
      http
        .get(url, { headers: { 'x-own': 'here' } }, (response) => {
          read(response).then(resolve, reject);
        })
        .on('error', reject);
    });
    expect(got).toMatchObject({ status: 302, headers: { location: '/a' } });
    expect(JSON.parse(got.body)).toMatchObject({ own: 'here' });
  });

  it('fails when it is destroyed, and by its signal', async () => {
    const failure = (end: (request: NodeHttp.ClientRequest, stop: AbortController) => void) =>
      new Promise<NodeJS.ErrnoException>((resolve) => {
        const stop = new AbortController();
        const request = http.get({ port, host: '127.0.0.1', path: '/never', signal: stop.signal });
        request.on('error', resolve);
        end(request, stop);
      });
    expect((await failure((request) => request.destroy())).code).toBe('ECONNRESET');
    expect((await failure((_, stop) => stop.abort())).name).toBe('AbortError');
    expect((await failure((request) => request.setTimeout(1, () => request.destroy()))).code).toBe(
      'ECONNRESET',
    );
  });

  it('has an agent, the names of statuses, and no server', () => {
    expect(new http.Agent({ keepAlive: true })).toMatchObject({ options: { keepAlive: true } });
    expect(http.STATUS_CODES[404]).toBe('Not Found');
    expect(() => https.createServer()).toThrow(
      /https\.createServer is refused to plugins: a plugin cannot listen on a port, and no permission/,
    );
  });

  it('uses https if the module is https', async () => {
    const error = await new Promise<Error>((resolve) => {
      https.get({ host: '127.0.0.1', port, path: '/' }).on('error', resolve);
    });
    // The server speaks no TLS.
    expect(error.message).toBe('fetch failed');
  });
});

describe('util.parseArgs', () => {
  const options = {
    name: { type: 'string', short: 'n' },
    all: { type: 'boolean', short: 'a' },
    tag: { type: 'string', multiple: true },
    port: { type: 'string', default: '1' },
  } as const;

  it.each([
    [['--name', 'x', '-a']],
    [['--name=x=y', '--tag', 'a', '--tag=b']],
    [['-an', 'x']],
    [['-nx']],
    [['file', '--all', '--', '--name']],
    [['--unknown']],
    [['--name']],
    [['--all=yes']],
    [['--name', '--all']],
    [[]],
  ])('agrees with Node on %j', (args) => {
    for (const strict of [true, false]) {
      for (const allowPositionals of [true, false]) {
        const spec = { args, options, strict, allowPositionals };
        const run = (parse: typeof nodeParseArgs): unknown => {
          try {
            const { values, positionals } = parse(spec);
            return { values: { ...values }, positionals };
          } catch (error) {
            return error instanceof Error && 'code' in error ? error.code : error;
          }
        };
        expect(run(parseArgs)).toEqual(run(nodeParseArgs));
      }
    }
  });
});
