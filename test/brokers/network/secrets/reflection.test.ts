import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { header, textOf } from '../plugin.js';
import { ALL, brokerWith, decoded, PLACEHOLDER, post, secretOf, VALUE } from './plugin.js';

describe('the value does not come back', () => {
  it('from a server that echoes header, query and body', async () => {
    const broker = await brokerWith([secretOf(ALL)]);
    const reply = await broker.get(`https://api.test/?k=${PLACEHOLDER}`, ...post(PLACEHOLDER));
    expect(broker.allReceived).toContain(VALUE);
    const text = await textOf(reply.body);
    expect(decoded(text)).not.toContain(VALUE);
    expect(JSON.parse(text)).toMatchObject({
      url: `/?k=${PLACEHOLDER}`,
      body: PLACEHOLDER,
      headers: { 'x-key': PLACEHOLDER },
    });
    expect(broker.uses.at(-1)).toEqual({
      type: 'secret-scrubbed',
      secret: 'API_KEY',
      place: 'body',
      host: 'api.test',
    });
  });

  it('from another host that has learnt it', async () => {
    const broker = await brokerWith([secretOf(ALL)], () => ({ body: `it is ${VALUE}.` }));
    const reply = await broker.get('https://other.test/');
    expect(await textOf(reply.body)).toBe(`it is ${PLACEHOLDER}.`);
  });

  it('in the headers, the names of headers, or the reason of an answer', async () => {
    const broker = await brokerWith([secretOf(ALL)], () => ({
      statusText: `no such key ${VALUE}`,
      headers: [
        ['x-echo', VALUE],
        ['set-cookie', `key=${encodeURIComponent(VALUE)}; Path=/`],
        ['www-authenticate', `Basic ${Buffer.from(`u:${VALUE}`).toString('base64')}`],
        ['x-live-key0123', 'kept'],
      ],
    }));
    const reply = await broker.get('https://api.test/');
    expect(reply.statusText).toBe(`no such key ${PLACEHOLDER}`);
    expect(header(reply, 'x-echo')).toBe(PLACEHOLDER);
    expect(header(reply, 'set-cookie')).toBe(`key=${PLACEHOLDER}; Path=/`);
    // Of what was encoded along with it, the beginning is left.
    expect(header(reply, 'www-authenticate')).toBe(`Basic dT${PLACEHOLDER}`);
    expect(header(reply, 'x-live-key0123')).toBe('kept');
  });

  it('as the name of a header', async () => {
    const value = 'name-of-a-header';
    const broker = await brokerWith([secretOf(ALL, undefined, { value })], () => ({
      headers: [[value.toUpperCase(), 'x']],
    }));
    const reply = await broker.get('https://api.test/');
    expect(JSON.stringify(reply.headers)).not.toContain(value);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('packed with %s', async (coding, pack) => {
    const broker = await brokerWith([secretOf(ALL)], () => ({
      headers: [['content-encoding', coding]],
      body: pack(`key: ${VALUE}`),
    }));
    const reply = await broker.get('https://api.test/', {
      headers: [['accept-encoding', 'zstd']],
    });
    expect(await textOf(reply.body)).toBe(`key: ${PLACEHOLDER}`);
    expect(broker.received[0]?.headers['accept-encoding']).toBe('gzip, deflate, br');
  });

  it.each([
    ['zstd', [['content-encoding', 'zstd']]],
    [
      'two codings in two lines',
      [
        ['content-encoding', 'identity'],
        ['content-encoding', 'zstd'],
      ],
    ],
  ] as const)('packed with %s, which is refused', async (_name, headers) => {
    const broker = await brokerWith([secretOf(ALL)], () => ({ headers, body: 'whatever' }));
    await expect(broker.get('https://api.test/')).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining('an unknown encoding'),
    });
    expect(broker.active).toBe(0);
  });

  it('in pieces, wherever a server cuts it', async () => {
    for (const cut of [1, 5, VALUE.length - 1]) {
      const broker = await brokerWith([secretOf(ALL)], () => ({
        body: [`it is ${VALUE.slice(0, cut)}`, `${VALUE.slice(cut)}, you know`],
      }));
      const reply = await broker.get('https://api.test/');
      expect(await textOf(reply.body)).toBe(`it is ${PLACEHOLDER}, you know`);
    }
  });

  it('in parts that the plugin chooses by a range', async () => {
    const broker = await brokerWith([secretOf(['header'])]);
    const headers = [
      ['range', 'bytes=0-3'],
      ['if-range', '"x"'],
    ];
    await broker.get('https://api.test/', { headers });
    expect(broker.received[0]?.headers).not.toHaveProperty('range');
    expect(broker.received[0]?.headers).not.toHaveProperty('if-range');

    await broker.get('https://other.test/', { headers });
    expect(broker.received[1]?.headers).toMatchObject({ range: 'bytes=0-3' });
  });

  it('in the length that an answer says it has', async () => {
    const broker = await brokerWith([secretOf(ALL)], () => ({ body: VALUE }));
    const reply = await broker.get('https://api.test/');
    expect(header(reply, 'content-length')).toBeUndefined();
    expect(await textOf(reply.body)).toBe(PLACEHOLDER);
  });

  it('in the place that a redirect names, for a plugin that does not follow it', async () => {
    const broker = await brokerWith([secretOf(ALL)], () => ({
      status: 302,
      headers: [['location', `https://api.test/?k=${encodeURIComponent(VALUE)}`]],
    }));
    const reply = await broker.get('https://api.test/', { redirect: 'manual' });
    expect(header(reply, 'location')).toBe(`https://api.test/?k=${PLACEHOLDER}`);
  });

  it.each([
    ['a scheme', `${VALUE.replaceAll(/[^a-zA-Z]/g, 'x')}://x`],
    ['a password', `https://u:${encodeURIComponent(VALUE)}@api.test/`],
    ['a host that is not granted', `https://${VALUE.replaceAll(/[^a-z]/gi, '-')}.test/`],
  ])('in the error about a redirect with it as %s', async (_as, location) => {
    const broker = await brokerWith([secretOf(ALL)], () => ({
      status: 302,
      headers: [['location', location]],
    }));
    const error: unknown = await broker.get('https://api.test/').catch((thrown: unknown) => thrown);
    expect(decoded(JSON.stringify([error, String(error)]))).not.toContain(VALUE);
    expect(decoded(JSON.stringify(broker.records))).not.toContain(VALUE);
  });

  it('in a record of what was requested', async () => {
    const broker = await brokerWith([secretOf(ALL)]);
    await broker.get(`https://api.test/?k=${PLACEHOLDER}`, ...post(PLACEHOLDER));
    expect(decoded(JSON.stringify(broker.records))).not.toContain(VALUE);
    expect(decoded(JSON.stringify(broker.uses))).not.toContain(VALUE);
  });
});
