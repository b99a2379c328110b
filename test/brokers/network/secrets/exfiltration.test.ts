import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sourceOf } from '../plugin.js';
import {
  ALL,
  brokerWith,
  decoded,
  EVERYWHERE,
  PLACEHOLDER,
  post,
  secretOf,
  VALUE,
} from './plugin.js';

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

  it('as a label of a name, which a name server would read', async () => {
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
