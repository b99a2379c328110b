import { describe, expect, it } from 'vitest';
import type { SecretPlace } from '../../../../src/brokers/network/secrets/secret.js';
import { sourceOf, textOf } from '../plugin.js';
import { brokerWith, PLACEHOLDER, secretOf, VALUE } from './plugin.js';

const JSON_TYPE = [['content-type', 'application/json']];
const inserted = (place: string) => [
  { type: 'secret-inserted', secret: 'API_KEY', place, host: 'api.test' },
];

describe('a value is put', () => {
  it('into a header', async () => {
    const broker = await brokerWith([secretOf(['header'])]);
    const headers = [['authorization', `Bearer ${PLACEHOLDER}`]];
    await broker.get('https://api.test/', { headers });
    expect(broker.received).toMatchObject([{ headers: { authorization: `Bearer ${VALUE}` } }]);
    expect(broker.uses).toMatchObject(inserted('header'));
  });

  it('into the user and password of a header', async () => {
    const broker = await brokerWith([secretOf(['header:authorization'])]);
    const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
    const headers = [['authorization', basic(`me:${PLACEHOLDER}`)]];
    await broker.get('https://api.test/', { headers });
    expect(broker.received).toMatchObject([{ headers: { authorization: basic(`me:${VALUE}`) } }]);
  });

  it('into the query, encoded', async () => {
    const broker = await brokerWith([secretOf(['query'])]);
    await broker.get(`https://api.test/weather?q=a%20b&appid=${PLACEHOLDER}&u=%C3%BC`);
    expect(broker.received[0]?.url).toBe(
      `/weather?q=a%20b&appid=${encodeURIComponent(VALUE)}&u=%C3%BC`,
    );
    expect(broker.uses).toMatchObject(inserted('query'));
  });

  it.each([
    ['application/json; charset=utf-8', '{"key":"K"}', '{"key":"q\\"uote\\\\d-1234"}'],
    ['application/vnd.api+json', '"K"', '"q\\"uote\\\\d-1234"'],
    ['application/x-www-form-urlencoded', 'key=K&a=b', 'key=q%22uote%5Cd-1234&a=b'],
    ['text/plain', 'key: K', 'key: q"uote\\d-1234'],
  ])('into a body of type %s as such a body writes it', async (type, before, after) => {
    const broker = await brokerWith([secretOf(['body'], undefined, { value: 'q"uote\\d-1234' })]);
    const body = before.replace('K', PLACEHOLDER);
    await broker.get(
      'https://api.test/',
      { method: 'POST', headers: [['content-type', type]], bodyBytes: body.length },
      sourceOf([body]),
    );
    expect(broker.received[0]?.body).toBe(after);
    expect(broker.received[0]?.headers['content-length']).toBe(String(after.length));
    expect(broker.uses).toMatchObject(inserted('body'));
  });

  it('into a body that comes in pieces, in the middle of the placeholder', async () => {
    const broker = await brokerWith([secretOf(['body'])]);
    const pieces = [`{"a":"${PLACEHOLDER.slice(0, 20)}`, `${PLACEHOLDER.slice(20)}"}`];
    await broker.get('https://api.test/', { method: 'PUT', headers: JSON_TYPE }, sourceOf(pieces));
    expect(broker.received[0]?.body).toBe(`{"a":"${VALUE}"}`);
  });

  it('into a body that is too long to be held, which then goes without a length', async () => {
    const broker = await brokerWith([secretOf(['body'])]);
    const filling = Buffer.alloc(300_000, 'x');
    const bodyBytes = filling.length * 2 + PLACEHOLDER.length;
    await broker.get(
      'https://api.test/',
      { method: 'PUT', bodyBytes },
      sourceOf([filling, PLACEHOLDER, filling]),
    );
    expect(broker.received[0]?.body).toBe(`${filling.toString()}${VALUE}${filling.toString()}`);
    expect(broker.received[0]?.headers).not.toHaveProperty('content-length');
  });

  it('several times, for several secrets', async () => {
    const other = PLACEHOLDER.replaceAll('0', '5');
    const broker = await brokerWith([
      secretOf(['header']),
      secretOf(['header'], ['api.test'], { name: 'B', placeholder: other, value: 'second-one' }),
    ]);
    const headers = [['x-keys', `${PLACEHOLDER} ${other} ${PLACEHOLDER}`]];
    await broker.get('https://api.test/', { headers });
    expect(broker.received[0]?.headers['x-keys']).toBe(`${VALUE} second-one ${VALUE}`);
  });

  it('again after a redirect that stays with the host', async () => {
    const broker = await brokerWith([secretOf(['query', 'body'])], ({ url, ...received }) =>
      url.startsWith('/old')
        ? { status: 307, headers: [['location', url.replace('old', 'new')]] }
        : { body: JSON.stringify({ url, ...received }) },
    );
    const reply = await broker.get(
      `https://api.test/old?k=${PLACEHOLDER}`,
      { method: 'POST', bodyBytes: PLACEHOLDER.length },
      sourceOf([PLACEHOLDER]),
    );
    expect(reply.url).toBe(`https://api.test/new?k=${PLACEHOLDER}`);
    const [, last] = broker.received;
    expect(last).toMatchObject({ url: `/new?k=${encodeURIComponent(VALUE)}`, body: VALUE });
    expect(await textOf(reply.body)).not.toContain(VALUE);
  });
});

describe('a body without a secret in it', () => {
  it('sends a body of the announced length', async () => {
    const broker = await brokerWith([secretOf(['header'])]);
    await broker.get('https://api.test/', { method: 'POST', bodyBytes: 5 }, sourceOf(['hello']));
    expect(broker.received[0]).toMatchObject({ body: 'hello', headers: { 'content-length': '5' } });
  });
});

describe('a place that is bound by name', () => {
  const cases: readonly (readonly [SecretPlace, string, string | undefined, boolean])[] = [
    ['header:x-api-key', '/', 'x-api-key', true],
    ['header:x-api-key', '/', 'x-other', false],
    ['query:key', '/?key=P', undefined, true],
    ['query:key', '/?a=b&key=P', undefined, true],
    ['query:a key', '/?a+key=P', undefined, true],
    ['query:key', '/?key2=P', undefined, false],
    ['query:key', '/?P', undefined, false],
    ['query:key', '/?P=key', undefined, false],
    ['query:key', '/?q=key=P', undefined, false],
    ['query:key', '/?%=P', undefined, false],
  ];
  it.each(cases)(
    '%s: %s with the header %s is sent the value: %s',
    async (place, path, name, is) => {
      const broker = await brokerWith([secretOf([place])]);
      const headers = name === undefined ? [] : [[name, PLACEHOLDER]];
      await broker.get(`https://api.test${path.replace('P', PLACEHOLDER)}`, { headers });
      const sent = decodeURIComponent(broker.allReceived.replaceAll(/%(?=[^2])/g, '%25'));
      expect(sent.includes(VALUE)).toBe(is);
      expect(sent.includes(PLACEHOLDER)).toBe(!is);
      expect(broker.uses[0]?.type).toBe(is ? 'secret-inserted' : 'secret-withheld');
    },
  );
});
