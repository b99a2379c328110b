import { describe, expect, it } from 'vitest';
import { brokerFor, bytesOf, header, sourceOf, textOf } from './plugin.js';
import { serve, serveRaw, type Served } from './servers.js';

const OK = 'HTTP/1.1 200 OK\r\n';

describe('a request on the wire', () => {
  /** What the server gets, byte for byte. */
  async function sent(params: object, body?: string[]): Promise<string> {
    let text = '';
    const server = await serveRaw((socket) => {
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString('latin1');
        if (body === undefined || text.endsWith('0\r\n\r\n') || text.includes('wind')) {
          socket.end(`${OK}content-length: 0\r\n\r\n`);
        }
      });
    });
    const source = body === undefined ? undefined : sourceOf(body);
    await bytesOf((await brokerFor(server).get('http://api.test/a?b', params, source)).body);
    return text;
  }

  it('is what was asked for and what we add, and nothing else', async () => {
    expect(await sent({ headers: [['x-own', '1']] })).toBe(
      [
        'GET /a?b HTTP/1.1',
        'host: api.test',
        'connection: keep-alive',
        'x-own: 1',
        'accept: */*',
        'accept-encoding: gzip, deflate, br',
        'user-agent: bulkhead',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it('says what the plugin says of itself', async () => {
    const text = await sent({
      headers: [
        ['User-Agent', 'mine'],
        ['Accept', 'a/b'],
      ],
    });
    expect(text).toContain('user-agent: mine\r\n');
    expect(text).toContain('accept: a/b\r\n');
    expect(text.match(/user-agent|accept:/g)).toHaveLength(2);
  });

  it('is framed by the broker only, whatever headers the plugin sends', async () => {
    const headers = [
      ['Content-Length', '3'],
      ['Transfer-Encoding', 'chunked'],
      ['Host', 'evil.test'],
      ['Connection', 'x-own, close'],
      ['Upgrade', 'h2c'],
    ];
    const text = await sent({ method: 'POST', headers }, ['windy\r\n\r\nGET /admin HTTP/1.1']);
    expect(text.match(/^(content-length|transfer-encoding|host|connection|upgrade):.*$/gm)).toEqual(
      ['host: api.test', 'connection: keep-alive', 'content-length: 28'],
    );
  });

  it('is aborted if the body is longer than announced', async () => {
    let text = '';
    const server = await serveRaw((socket) => {
      socket.on('data', (bytes: Buffer) => (text += bytes.toString()));
    });
    await expect(
      brokerFor(server).get(
        'http://api.test/',
        { method: 'POST', bodyBytes: 4 },
        sourceOf(['wind', 'GET /admin HTTP/1.1\r\n\r\n']),
      ),
    ).rejects.toMatchObject({ code: 'NETWORK_FAILED' });
    expect(text).not.toContain('/admin');
  });

  it('is aborted if the body is shorter than announced', async () => {
    const server = await serveRaw(() => {});
    await expect(
      brokerFor(server).get(
        'http://api.test/',
        { method: 'POST', bodyBytes: 9 },
        sourceOf(['wind']),
      ),
    ).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining('length of the body is not the announced length'),
    });
  });
});

describe('an answer that is not HTTP', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['nothing', ''],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    [
      'a length and chunks',
      `${OK}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a broken header', `${OK}a b: c\r\n\r\n`],
    ['a NUL in a header', `${OK}a: \0\r\n\r\n`],
    [
      'a switch of protocols',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['a chunk that is none', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ])('but %s fails the request', async (_what, text) => {
    const broker = brokerFor(await serveRaw(text));
    const attempt = async (): Promise<Buffer> =>
      bytesOf((await broker.get('http://api.test/')).body);
    await expect(attempt()).rejects.toMatchObject({ code: 'NETWORK_FAILED' });
    expect(broker.active).toBe(0);
  });

  it('cannot answer the next request in advance', async () => {
    let count = 0;
    const server = await serveRaw((socket) => {
      count += 1;
      const name = `connection ${count}`;
      socket.on('data', () => {
        socket.write(`${OK}content-length: ${name.length}\r\n\r\n${name}`);
        socket.write(`${OK}content-length: 6\r\n\r\nforged`);
      });
    });
    const broker = brokerFor(server);
    for (const name of ['connection 1', 'connection 2']) {
      expect(await textOf((await broker.get('http://api.test/')).body)).toBe(name);
    }
  });

  it('returns headers that are only text, whatever their names', async () => {
    const server = await serveRaw(
      `${OK}__proto__: a\r\nconstructor: b\r\nX-É: c\r\ncontent-length: 0\r\n\r\n`.replace(
        'É',
        'e',
      ),
    );
    const reply = await brokerFor(server).get('http://api.test/');
    expect(reply.headers).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
      ['x-e', 'c'],
      ['content-length', '0'],
    ]);
  });
});

describe('an answer without a body', () => {
  async function statuses(): Promise<Served> {
    return serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1)), { 'x-a': 'b' }).end();
    });
  }

  it.each([204, 304])('does not exist with status %i', async (status) => {
    const broker = brokerFor(await statuses());
    const reply = await broker.get(`http://api.test/${status}`);
    expect(reply).toMatchObject({ status, body: undefined });
    expect(header(reply, 'x-a')).toBe('b');
    expect(broker.active).toBe(0);
  });

  it('does not exist for a HEAD request', async () => {
    const reply = await brokerFor(await statuses()).get('http://api.test/200', { method: 'HEAD' });
    expect(reply).toMatchObject({ status: 200, body: undefined });
  });
});
