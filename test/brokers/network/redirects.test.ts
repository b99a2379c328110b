import { describe, expect, it } from 'vitest';
import { brokerFor, header, sourceOf, textOf } from './plugin.js';
import { serve, type Served } from './servers.js';

const BOTH = ['api.test', 'cdn.test'];

/** A server that redirects `/NNN` by that status to `to`, and echoes anything else. */
async function serveRedirects(to: () => string): Promise<Served> {
  return serve((request, response) => {
    const status = /^\/(3\d\d)$/.exec(request.url ?? '')?.[1];
    if (status !== undefined) {
      response.writeHead(Number(status), { location: to() }).end('moved');
      return;
    }
    void request.toArray().then((chunks: Buffer[]) => {
      const { method, headers } = request;
      response.end(JSON.stringify({ method, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
}

describe('a redirect', () => {
  it.each([
    ['a private address', 'http://169.254.169.254/latest/meta-data/', /^SSRF blocked: 169\.254/],
    ['loopback', 'http://127.0.0.1/', /^SSRF blocked: 127/],
    ['localhost', 'http://localhost/', /^SSRF blocked: localhost/],
    [
      'a host that is not granted',
      'https://evil.test/',
      /^Network denied: evil\.test .* api\.test redirected there/,
    ],
    ['a port that is not granted', 'http://api.test:22/', /^Network denied: api\.test:22/],
    ['a file', 'file:///etc/passwd', /scheme file:/],
    ['a URL of data', 'data:text/plain,x', /scheme data:/],
    ['a URL with a password', 'http://u:p@api.test/', /user name or password/],
  ])('to %s is refused', async (_what, to, message) => {
    const server = await serveRedirects(() => to);
    const broker = brokerFor(server);
    await expect(broker.get('http://api.test/302')).rejects.toMatchObject({
      code: 'NETWORK_DENIED',
      message: expect.stringMatching(message),
    });
    expect(server.seen).toEqual(['GET /302']);
    expect(broker.records.at(-1)).toMatchObject({ outcome: 'denied' });
  });

  it('to another host that is granted is followed, and each hop recorded', async () => {
    const cdn = await serve((_request, response) => response.end('here'));
    const api = await serveRedirects(() => 'https://cdn.test/file');
    const broker = brokerFor(undefined, {
      granted: BOTH,
      overrides: [
        { host: 'api.test', url: api.url },
        { host: 'cdn.test', url: cdn.url },
      ],
    });

    const reply = await broker.get('https://api.test/302');

    expect(reply).toMatchObject({ url: 'https://cdn.test/file', redirected: true, status: 200 });
    expect(await textOf(reply.body)).toBe('here');
    expect(broker.records).toMatchObject([
      { url: 'https://api.test/302', status: 302, outcome: 'allowed' },
      { url: 'https://cdn.test/file', status: 200, outcome: 'allowed' },
    ]);
  });

  it('to another origin takes no credentials along, and other headers it does', async () => {
    const headers = [
      ['authorization', 'Bearer x'],
      ['cookie', 'a=1'],
      ['x-own', 'kept'],
    ];
    const server = await serveRedirects(() => 'http://cdn.test/echo');
    const overrides = BOTH.map((host) => ({ host, url: server.url }));
    const broker = brokerFor(undefined, { granted: BOTH, overrides });

    const away = await broker.get('http://api.test/307', { headers });
    const sent: { headers: object } = JSON.parse(await textOf(away.body));
    expect(sent.headers).toMatchObject({ host: 'cdn.test', 'x-own': 'kept' });
    expect(sent.headers).not.toHaveProperty('authorization');
    expect(sent.headers).not.toHaveProperty('cookie');

    const home = await broker.get('http://cdn.test/307', { headers });
    expect(JSON.parse(await textOf(home.body))).toMatchObject({
      headers: { authorization: 'Bearer x', cookie: 'a=1' },
    });
  });

  it('counts another scheme as another origin', async () => {
    const server = await serveRedirects(() => 'http://api.test/echo');
    const broker = brokerFor(server);
    const reply = await broker.get('https://api.test/302', { headers: [['authorization', 'x']] });
    expect(JSON.parse(await textOf(reply.body))).not.toHaveProperty('headers.authorization');
  });

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [301, 'PUT', 'PUT', 'text'],
    [307, 'POST', 'POST', 'text'],
    [308, 'POST', 'POST', 'text'],
  ])('by %i makes a %s a %s, with the body %j', async (status, before, after, text) => {
    const server = await serveRedirects(() => '/echo');
    const broker = brokerFor(server);
    const reply = await broker.get(
      `http://api.test/${status}`,
      { method: before, headers: [['content-type', 'text/plain']] },
      sourceOf(['text']),
    );
    const sent: { headers: Record<string, string> } = JSON.parse(await textOf(reply.body));
    expect(sent).toMatchObject({ method: after, body: text });
    expect(sent.headers['content-type']).toBe(text === '' ? undefined : 'text/plain');
    expect(sent.headers['content-length']).toBe(text === '' ? undefined : '4');
  });

  it('sends a streamed body again if it is short enough, and fails otherwise', async () => {
    const server = await serveRedirects(() => '/echo');
    const broker = brokerFor(server, { limits: { maxReplayBytes: 10 } });
    const post = (text: string) =>
      broker.get('http://api.test/307', { method: 'POST', bodyBytes: text.length }, sourceOf(text));

    expect(JSON.parse(await textOf((await post('0123456789')).body))).toMatchObject({
      body: '0123456789',
    });
    await expect(post('0123456789a')).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringMatching(/too long to be sent again/),
    });
  });

  it('is asked about with the method of the next hop', async () => {
    const asked: string[] = [];
    const server = await serveRedirects(() => '/echo');
    const broker = brokerFor(server, {
      allows: (url, method) => {
        asked.push(`${method} ${url.pathname}`);
        return true;
      },
    });
    await broker.get('http://api.test/303', { method: 'POST' }, sourceOf(['x']));
    expect(asked).toEqual(['POST /303', 'GET /echo']);
  });

  it('is followed five times', async () => {
    let left = 5;
    const server = await serveRedirects(() => (left-- > 1 ? '/302' : '/echo'));
    const broker = brokerFor(server);
    expect((await broker.get('http://api.test/302')).status).toBe(200);

    left = 6;
    await expect(broker.get('http://api.test/302')).rejects.toMatchObject({
      code: 'NETWORK_LIMIT',
      details: { limit: 'maxRedirects' },
    });
  });

  it('is returned unchanged in manual mode, and fails in error mode', async () => {
    const server = await serveRedirects(() => 'http://evil.test/');
    const broker = brokerFor(server);
    const reply = await broker.get('http://api.test/302', { redirect: 'manual' });
    expect(reply).toMatchObject({ status: 302, redirected: false });
    expect(header(reply, 'location')).toBe('http://evil.test/');
    expect(await textOf(reply.body)).toBe('moved');

    await expect(broker.get('http://api.test/302', { redirect: 'error' })).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
    });
  });

  it('that is not followed leaves no connection behind', async () => {
    let closed = 0;
    const server = await serve((_request, response) => {
      response.on('close', () => (closed += 1));
      response.writeHead(302, { location: 'http://evil.test/' }).write('and the body never ends');
    });
    const broker = brokerFor(server);
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    await expect(broker.get('http://api.test/', { redirect: 'error' })).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
    });
    await expect.poll(() => closed).toBe(2);
    expect(broker.active).toBe(0);
  });

  it('without a place to go is the answer, and with two it fails', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/two') response.setHeader('location', ['/a', '/b']);
      response.writeHead(302).end();
    });
    const broker = brokerFor(server);
    expect((await broker.get('http://api.test/none')).status).toBe(302);
    await expect(broker.get('http://api.test/two')).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
    });
  });
});
