import { describe, expect, it } from 'vitest';
import { parseBinding } from '../../../../src/brokers/network/secrets/secret.js';
import { collectSecret } from '../../../../src/cli/secrets.js';
import { brokerWith, PLACEHOLDER, secretOf, VALUE } from './plugin.js';

const only = (places: Parameters<typeof secretOf>[0]) =>
  secretOf(places, ['api.test'], { only: true });
const bearer = ['authorization', `Bearer ${PLACEHOLDER}`];

describe('a secret that is bound alone', () => {
  it('is in each request to its hosts, which are refused without it', async () => {
    const broker = await brokerWith([only(['header:authorization'])]);
    await broker.get('https://api.test/a', { headers: [bearer, ['x-trace', '1']] });
    await expect(broker.get('https://api.test/b')).rejects.toThrow('does not carry API_KEY');
    // In another place than the bound one it is not inserted.
    await expect(
      broker.get('https://api.test/c', { headers: [['x-note', PLACEHOLDER]] }),
    ).rejects.toThrow('does not carry API_KEY');
    // Other hosts are not affected.
    await broker.get('https://other.test/d');
    expect(broker.received.map(({ url }) => url)).toEqual(['/a', '/d']);
    expect(broker.received[0]?.headers).toMatchObject({ authorization: `Bearer ${VALUE}` });
  });

  it.each([
    ['authorization', 'Bearer of-the-attacker'],
    ['x-api-key', 'of-the-attacker'],
    ['cookie', 'session=of-the-attacker'],
    ['x-auth-token', 'of-the-attacker'],
    ['Api-Key', 'of-the-attacker'],
  ])('refuses the other credential of the header %s', async (name, value) => {
    const broker = await brokerWith([only(['query:appid'])]);
    await expect(
      broker.get(`https://api.test/?appid=${PLACEHOLDER}`, { headers: [[name, value]] }),
    ).rejects.toThrow(/is a credential other than API_KEY/);
    expect(broker.received).toEqual([]);
  });

  it.each(['api_key', 'access_token', 'token', 'KEY', 'x-api-key', 'password'])(
    'refuses the other credential of the parameter %s',
    async (name) => {
      const broker = await brokerWith([only(['header:authorization'])]);
      await expect(
        broker.get(`https://api.test/?q=tea&${name}=of-the-attacker`, { headers: [bearer] }),
      ).rejects.toThrow(/parameter .* is a credential other than API_KEY/);
      expect(broker.received).toEqual([]);
    },
  );

  it('goes with what is not a credential', async () => {
    const broker = await brokerWith([only(['header:authorization', 'query:key'])]);
    const headers = [bearer, ['idempotency-key', '1'], ['accept', 'application/json']];
    await broker.get('https://api.test/?page_token=2&keyword=tea', { headers });
    await broker.get(`https://api.test/?key=${PLACEHOLDER}&pageToken=2`);
    expect(broker.received).toHaveLength(2);
  });
});

describe('a binding with "only"', () => {
  it('names a header or a parameter', () => {
    expect(() => parseBinding({ hosts: ['a.test'], in: ['body'], only: true }, 'x')).toThrow(
      'Name a header or a parameter instead',
    );
    expect(() =>
      parseBinding({ hosts: ['a.test'], in: ['header'], only: 'yes' as never }, 'x'),
    ).toThrow('takes true or false');
  });

  it('is written on the command line as a place', () => {
    expect(collectSecret('KEY=only@a.test')).toEqual({
      KEY: { hosts: ['a.test'], in: ['header', 'query'], only: true },
    });
    expect(collectSecret('KEY=only,header:x-key@a.test')).toEqual({
      KEY: { hosts: ['a.test'], in: ['header:x-key'], only: true },
    });
    expect(collectSecret('KEY=a.test')).toEqual({
      KEY: { hosts: ['a.test'], in: ['header', 'query'] },
    });
    expect(() => collectSecret('KEY=only,nowhere@a.test')).toThrow('--secret takes');
  });
});
