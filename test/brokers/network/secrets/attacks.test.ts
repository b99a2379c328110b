import { gzipSync, brotliCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { SecretPlace } from '../../../../src/brokers/network/secrets/secret.js';
import { header, sourceOf, textOf } from '../plugin.js';
import { brokerWith, PLACEHOLDER, secretOf, VALUE } from './plugin.js';

const ALL: readonly SecretPlace[] = ['header', 'query', 'body'];

/** A request that has the placeholder in every place that a request has. */
const EVERYWHERE = `/${PLACEHOLDER}?k=${PLACEHOLDER}`;
const post = (text: string) =>
  [
    { method: 'POST', headers: [['x-key', PLACEHOLDER]], bodyBytes: text.length },
    sourceOf([text]),
  ] as const;

function decoded(text: string): string {
  return decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
}

describe('the value does not go out', () => {
  it.each([
    ['to another host', 'https://other.test'],
    ['to a subdomain', 'https://sub.api.test'],
    ['to another port', 'https://api.test:8443'],
    ['over cleartext', 'http://api.test'],
  ])('%s, although that is granted', async (_where, origin) => {
    const broker = await brokerWith([secretOf(ALL)]);
    const reply = await broker.get(`${origin}${EVERYWHERE}`, ...post(PLACEHOLDER));
    expect(decoded(broker.allReceived)).not.toContain(VALUE);
    expect(broker.received).toMatchObject([
      { url: EVERYWHERE, body: PLACEHOLDER, headers: { 'x-key': PLACEHOLDER } },
    ]);
    expect(broker.uses.map(({ type, place }) => `${type} ${place}`).toSorted()).toEqual([
      'secret-withheld body',
      'secret-withheld header',
      'secret-withheld path',
      'secret-withheld query',
    ]);
    reply.body?.cancel('');
  });

  it.each(['header', 'query', 'body'] as const)('in another place than the %s', async (place) => {
    const broker = await brokerWith([secretOf([place])]);
    await broker.get(`https://api.test${EVERYWHERE}`, ...post(PLACEHOLDER));
    const [sent] = broker.received;
    const [path, query = ''] = sent?.url.split('?') ?? [];
    const parts = {
      header: sent?.headers['x-key'],
      query: decodeURIComponent(query),
      body: sent?.body,
    };
    for (const [other, text] of Object.entries(parts)) {
      expect(text?.includes(VALUE)).toBe(other === place);
    }
    expect(path).toBe(`/${PLACEHOLDER}`);
  });

  it.each([
    ['another host', 'https://other.test/'],
    ['cleartext', 'http://api.test/'],
    ['another port', 'https://api.test:8443/'],
  ])('along with a redirect to %s', async (_where, to) => {
    const broker = await brokerWith([secretOf(ALL)], ({ url }) =>
      url.startsWith('/go') ? { status: 307, headers: [['location', `${to}?k=${VALUE}`]] } : {},
    );
    await broker.get(`https://api.test/go?k=${PLACEHOLDER}`, ...post(PLACEHOLDER));
    const [first, second] = broker.received;
    expect(first?.body).toBe(VALUE);
    // What the server wrote into the place that it redirects to is taken out of that as well.
    expect(second).toMatchObject({ url: `/?k=${PLACEHOLDER}`, body: PLACEHOLDER });
    expect(decoded(JSON.stringify(second))).not.toContain(VALUE);
    expect(broker.uses.filter(({ type }) => type === 'secret-withheld')).not.toEqual([]);
  });

  it('as a label of a name, where a name server would read it', async () => {
    const broker = await brokerWith([secretOf(ALL, ['*.api.test'])]);
    await expect(broker.get(`https://${PLACEHOLDER}.api.test/`)).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: expect.stringContaining(PLACEHOLDER),
    });
    expect(broker.uses).toMatchObject([{ type: 'secret-withheld', place: 'host' }]);
  });

  it.each([
    ['in other letter case', PLACEHOLDER.toUpperCase()],
    ['percent-encoded', PLACEHOLDER.replace('b', '%62')],
    ['without its last character', PLACEHOLDER.slice(0, -1)],
    ['with a character between', `${PLACEHOLDER.slice(0, 20)}_${PLACEHOLDER.slice(20)}`],
    ['in base64', Buffer.from(PLACEHOLDER).toString('base64url')],
  ])('for a placeholder %s', async (_how, text) => {
    const broker = await brokerWith([secretOf(ALL)]);
    const headers = [['x-key', text]];
    await broker.get(
      `https://api.test/?k=${text}`,
      { method: 'POST', headers, bodyBytes: text.length },
      sourceOf([text]),
    );
    expect(decoded(broker.allReceived)).not.toContain(VALUE);
  });

  it('for a placeholder that is split over two places', async () => {
    const broker = await brokerWith([secretOf(ALL)]);
    const [head, tail] = [PLACEHOLDER.slice(0, 20), PLACEHOLDER.slice(20)];
    const headers = [
      ['x-a', head],
      ['x-b', tail],
    ];
    await broker.get(`https://api.test/?a=${head}&b=${tail}`, { headers });
    expect(decoded(broker.allReceived)).not.toContain(VALUE);
  });

  it('in a body that the plugin has compressed', async () => {
    const broker = await brokerWith([secretOf(ALL)]);
    const packed = gzipSync(`key=${PLACEHOLDER}`);
    await broker.get(
      'https://api.test/',
      { method: 'POST', headers: [['content-encoding', 'gzip']], bodyBytes: packed.length },
      sourceOf([packed]),
    );
    expect(broker.uses.filter(({ place }) => place === 'body')).toEqual([]);
  });
});

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
      message: expect.stringContaining('packed in a way'),
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
