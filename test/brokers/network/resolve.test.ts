import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { makeResolve } from '../../../src/brokers/network/dial.js';

const closers = new Set<() => void>();
afterEach(() => {
  for (const close of closers) close();
  closers.clear();
});

/** A name server on loopback that knows these addresses; `undefined` answers nothing. */
async function serveNames(addresses: readonly string[] | undefined): Promise<string> {
  const socket = createSocket('udp4');
  closers.add(() => socket.close());
  socket.on('message', (query, { port }) => {
    if (addresses !== undefined) socket.send(answerTo(query, addresses), port, '127.0.0.1');
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return `127.0.0.1:${socket.address().port}`;
}

/** DNS, RFC 1035: the question again, and the addresses of the type it asks for. */
function answerTo(query: Buffer, addresses: readonly string[]): Buffer {
  let end = 12;
  for (let length = query[end]; length !== undefined && length !== 0; length = query[end]) {
    end += length + 1;
  }
  const type = query.readUInt16BE(end + 1);
  const known = addresses.filter((address) => isIPv4(address) === (type === 1));
  const records = known.map((address) => {
    const data = isIPv4(address)
      ? Buffer.from(address.split('.').map(Number))
      : Buffer.from(address.replaceAll(':', ''), 'hex');
    const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
    return Buffer.concat([head, data]);
  });
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(addresses.length === 0 ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 10);
  return Buffer.concat([header, query.subarray(12, end + 5), ...records]);
}

const V6 = '2001:0db8:0000:0000:0000:0000:0000:0001';

describe('a name', () => {
  it('has all the addresses that the name server gives, those of IPv4 first', async () => {
    const resolve = makeResolve([await serveNames([V6, '192.0.2.1', '10.0.0.1'])]);
    const { signal } = new AbortController();
    expect(await resolve('api.test', signal)).toEqual(['192.0.2.1', '10.0.0.1', '2001:db8::1']);
  });

  it('has the addresses of one kind if there are no others', async () => {
    const resolve = makeResolve([await serveNames([V6])]);
    expect(await resolve('api.test', new AbortController().signal)).toEqual(['2001:db8::1']);
  });

  it('that is unknown has no addresses', async () => {
    const resolve = makeResolve([await serveNames([])]);
    await expect(resolve('api.test', new AbortController().signal)).rejects.toMatchObject({
      code: 'ENOTFOUND',
    });
  });

  it('that is given up is not asked for any longer', async () => {
    const resolve = makeResolve([await serveNames(undefined)]);
    const giveUp = new AbortController();
    const pending = resolve('api.test', giveUp.signal);
    setTimeout(() => giveUp.abort(), 20);
    const startedAt = performance.now();
    await expect(pending).rejects.toMatchObject({ code: 'ECANCELLED' });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
