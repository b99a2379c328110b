import { createServer, type Server } from 'node:http';
import * as real from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

type Undici = typeof real;
const undici = await loadBuiltin<Undici>('undici');

let server: Server;
let origin = '';
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url === '/never') return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(request.url === '/moved' ? 302 : 200, {
        location: '/a',
        'set-cookie': ['a=1', 'b=2'],
        'content-type': 'application/json',
      });
      const { method, url, headers } = request;
      const body = Buffer.concat(chunks)
        .toString()
        .replaceAll(/-{2,}[\w-]+/g, 'boundary');
      const type = headers['content-type']?.replace(/=.*/, '');
      response.end(JSON.stringify({ method, url, own: headers['x-own'], type, body }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** What a use of undici gives, with the parts of an answer that tests compare. */
async function outcome(use: (of: Undici) => Promise<real.Dispatcher.ResponseData>, of: Undici) {
  try {
    const { statusCode, headers, opaque, body } = await use(of);
    const { location, 'set-cookie': cookies } = headers;
    return { statusCode, location, cookies, opaque, body: await body.json() };
  } catch (error) {
    const { name, code } = error as NodeJS.ErrnoException;
    return { name, code };
  }
}

const form = (of: Undici): real.FormData => {
  const made = new of.FormData();
  made.append('field', 'value');
  return made;
};

async function* parts(): AsyncGenerator<string> {
  yield 'one ';
  yield 'two';
}

const uses: readonly (readonly [string, (of: Undici) => Promise<real.Dispatcher.ResponseData>])[] =
  [
    ['a URL alone', (of) => of.request(`${origin}/a?b=1`)],
    [
      'a URL object and a query',
      (of) => of.request(new URL(`${origin}/a`), { query: { q: ['x', 'y z'], n: 1 } }),
    ],
    [
      'headers as a record',
      (of) => of.request(origin, { method: 'POST', headers: { 'X-Own': 'mine' }, body: 'text' }),
    ],
    ['headers as a list', (of) => of.request(origin, { headers: ['x-own', 'listed'] })],
    ['headers as pairs', (of) => of.request(origin, { headers: new Map([['x-own', 'paired']]) })],
    ['bytes', (of) => of.request(origin, { method: 'PUT', body: new Uint8Array([104, 105]) })],
    ['a stream', (of) => of.request(origin, { method: 'POST', body: parts() as never })],
    ['a form', (of) => of.request(origin, { method: 'POST', body: form(of) })],
    ['a redirect', (of) => of.request(`${origin}/moved`, { opaque: null })],
    [
      'no answer in time',
      (of) =>
        of.request(`${origin}/never`, {
          headersTimeout: 300,
          dispatcher: new of.Agent({ headersTimeout: 300 }),
        }),
    ],
    [
      'no answer in time for a client',
      (of) =>
        new of.Client(origin, { headersTimeout: 300 }).request({ path: '/never', method: 'GET' }),
    ],
    [
      'a redirect to follow',
      (of) => of.request(origin, { maxRedirections: 3, dispatcher: new of.Agent() } as never),
    ],
    [
      'a client that was destroyed',
      async (of) => {
        const client = new of.Client(origin);
        await client.destroy();
        return client.request({ path: '/', method: 'GET' });
      },
    ],
    ['two queries', (of) => of.request(`${origin}/by?a=1`, { query: { b: 2 } })],
    ['no URL', (of) => of.request(5 as never)],
    ['a pool', (of) => new of.Pool(origin).request({ path: '/p', method: 'GET' })],
    ['a client', (of) => new of.Client(origin).request({ path: '/c', method: 'POST', body: '{}' })],
    [
      'a URL, by a pool',
      (of) => of.request(`${origin}/by`, { query: { b: 2 }, dispatcher: new of.Pool(origin) }),
    ],
    ['an agent', (of) => new of.Agent().request({ origin, path: '/agent', method: 'GET' })],
  ];

describe('undici over fetch', () => {
  it.each(uses)('gives what undici gives for %s', async (_, use) => {
    expect(await outcome(use, undici)).toEqual(await outcome(use, real));
  });

  it('ends a request by its signal, and gives the body in each form', async () => {
    const controller = new AbortController();
    const stopped = undici.request(`${origin}/never`, { signal: controller.signal });
    controller.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    const bodyOf = async (): Promise<real.Dispatcher.ResponseData['body']> =>
      (await undici.request(`${origin}/forms`)).body;
    const text = await (await bodyOf()).text();
    expect(Buffer.from(await (await bodyOf()).arrayBuffer()).toString()).toBe(text);
    expect(await (await (await bodyOf()).blob()).text()).toBe(text);
    const chunks = [];
    for await (const chunk of await bodyOf()) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(text);
  });

  it('refuses a dispatcher that sends by itself, which would be ignored', async () => {
    class Own extends undici.Agent {
      override dispatch(): never {
        throw new Error('not called');
      }
    }
    await expect(undici.request(origin, { dispatcher: new Own() })).rejects.toMatchObject({
      code: 'UND_ERR_INVALID_ARG',
    });
  });

  it('refuses requests of a pool that was closed, and has the classes of errors', async () => {
    const pool = new undici.Pool(origin);
    await pool.close();
    await expect(pool.request({ path: '/', method: 'GET' })).rejects.toMatchObject({
      name: 'ClientClosedError',
      code: 'UND_ERR_CLOSED',
    });
    const { HeadersTimeoutError, UndiciError } = undici.errors;
    expect(new HeadersTimeoutError()).toBeInstanceOf(UndiciError);
  });
});
