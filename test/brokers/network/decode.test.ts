import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { brokerFor, bytesOf, header, textOf } from './plugin.js';
import { serve, type Served } from './servers.js';

const TEXT = 'sunny '.repeat(50_000);

async function serveEncoded(coding: string, body: Buffer | string): Promise<Served> {
  return serve((_request, response) => {
    response.writeHead(200, { 'content-encoding': coding }).end(body);
  });
}

describe('an encoded body', () => {
  it.each([
    ['gzip', gzipSync(TEXT)],
    ['x-gzip', gzipSync(TEXT)],
    ['GZIP', gzipSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['deflate', deflateRawSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['identity, gzip', gzipSync(TEXT)],
    ['br, gzip', gzipSync(brotliCompressSync(TEXT))],
  ])('in %s is decoded, and described in its decoded form', async (coding, body) => {
    const reply = await brokerFor(await serveEncoded(coding, body)).get('http://api.test/');
    expect(await textOf(reply.body)).toBe(TEXT);
    expect(header(reply, 'content-encoding')).toBeUndefined();
    expect(header(reply, 'content-length')).toBeUndefined();
  });

  it.each(['zstd', 'constructor', '__proto__', 'gzip, secret'])(
    'in %s, an unknown encoding, is passed on unchanged',
    async (coding) => {
      const reply = await brokerFor(await serveEncoded(coding, 'as is')).get('http://api.test/');
      expect(await textOf(reply.body)).toBe('as is');
      expect(header(reply, 'content-encoding')).toBe(coding);
    },
  );

  it.each(['gzip', 'deflate', 'br'])('that is not %s fails', async (coding) => {
    const server = await serveEncoded(coding, Buffer.from('\xff\xffnonsense', 'latin1'));
    const reply = await brokerFor(server).get('http://api.test/');
    await expect(bytesOf(reply.body)).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining('cannot be decompressed'),
    });
  });

  it.each(['gzip', 'deflate', 'br'])('in %s may be empty', async (coding) => {
    const reply = await brokerFor(await serveEncoded(coding, '')).get('http://api.test/');
    expect(await textOf(reply.body)).toBe('');
  });

  it('that is cut short is given as far as it goes', async () => {
    const whole = gzipSync(Buffer.from(TEXT), { level: 0 });
    const server = await serveEncoded('gzip', whole.subarray(0, whole.length / 2));
    const text = await textOf((await brokerFor(server).get('http://api.test/')).body);
    expect(text.length).toBeGreaterThan(TEXT.length / 3);
    expect(TEXT.startsWith(text)).toBe(true);
  });

  it('of two members is both of them', async () => {
    const server = await serveEncoded('gzip', Buffer.concat([gzipSync('a'), gzipSync('b')]));
    const broker = brokerFor(server);
    expect(await textOf((await broker.get('http://api.test/')).body)).toBe('ab');
    expect(broker.active).toBe(0);
  });

  it('is unpacked only as far as it is read', async () => {
    let sent = 0;
    const packed = gzipSync(Buffer.alloc(1024 * 1024, 'x'), { level: 0 });
    const server = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      const go = (): void => {
        do sent += packed.length;
        while (sent < 64 * packed.length && response.write(packed));
      };
      response.on('drain', go);
      go();
    });
    const reply = await brokerFor(server).get('http://api.test/');
    await reply.body?.pull();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(sent).toBeLessThan(16 * 1024 * 1024);
    reply.body?.cancel('seen enough');
  });
});
