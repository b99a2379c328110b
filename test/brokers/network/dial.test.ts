import { describe, expect, it, vi } from 'vitest';
import { makeDial, type Resolve } from '../../../src/brokers/network/dial.js';
import { NETWORK_LIMITS } from '../../../src/brokers/limits.js';
import { reserveOwnPort } from '../../../src/own-ports.js';
import { makeRefusals } from '../../../src/brokers/network/refusals.js';
import { connectTcp, makeTrust } from '../../../src/brokers/network/sockets.js';
import { brokerFor, textOf } from './plugin.js';
import { serve } from './servers.js';

const signal = new AbortController().signal;

describe('a host that is granted', () => {
  it.each([
    'http://127.0.0.1/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://127.0.0.1./',
    'http://10.0.0.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://168.63.129.16/',
    'http://0.0.0.0/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[fd00::1]/',
    'http://[fe80::1]/',
    'http://localhost/',
    'http://localhost./',
    'http://LOCALHOST/',
    'http://app.localhost/',
    'http://metadata.google.internal/',
    'http://metadata/',
  ])('is refused if it is still private: %s', async (url) => {
    const resolve = vi.fn<Resolve>(async () => ['10.0.0.1']);
    const broker = brokerFor(undefined, { allows: () => true, resolve });

    await expect(broker.get(url)).rejects.toMatchObject({
      code: 'NETWORK_DENIED',
      message: expect.stringMatching(/^SSRF blocked: .*--host-override/),
    });
    expect(resolve).not.toHaveBeenCalled();
    expect(broker.records).toMatchObject([{ outcome: 'denied' }]);
  });

  it.each([
    ['a private address', ['127.0.0.1']],
    ['a mapped one', ['::ffff:192.168.0.1']],
    ['the metadata address', ['169.254.169.254']],
    ['what is not an address', ['localhost']],
  ])('is refused if it resolves to %s', async (_what, addresses) => {
    const broker = brokerFor(undefined, { resolve: async () => addresses });

    const refusal = await broker.get('http://api.test/').catch((error: unknown) => error);

    expect(refusal).toMatchObject({
      code: 'NETWORK_DENIED',
      message: expect.stringMatching(/^SSRF blocked: api\.test resolves to a private address/),
    });
    // The plugin is not told which: that would map the host's network. The host's record is.
    for (const address of addresses) expect(String(refusal)).not.toContain(address);
    expect(broker.records[0]?.reason).toContain(addresses.at(-1));
  });

  it('fails if its name has no address', async () => {
    const broker = brokerFor(undefined, {
      resolve: async () => {
        throw Object.assign(new Error('queryA ENOTFOUND api.test'), { code: 'ENOTFOUND' });
      },
    });
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({
      code: 'NETWORK_FAILED',
      message: 'The request of weather to api.test failed: there is no such host.',
      details: { host: 'api.test' },
    });
  });

  it('is abandoned if no connection succeeds in time', async () => {
    const broker = brokerFor(undefined, {
      resolve: () => new Promise(() => {}),
      limits: { connectMs: 30 },
    });
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({
      code: 'NETWORK_LIMIT',
      details: { limit: 'connectMs' },
    });
  });
});

describe('a dial', () => {
  const PUBLIC = '93.184.215.14';

  /** Dials without leaving this machine: what is connected to is noted, and `reached` is reached. */
  async function dialling(answers: string[][], reached: string) {
    const server = await serve((_request, response) => response.end());
    const connected: (readonly string[])[] = [];
    const dial = makeDial({
      overrides: new Map(),
      resolve: async () => answers.shift() ?? [],
      connect: async (_host, _port, addresses, aborted) => {
        connected.push(addresses);
        const socket = await connectTcp('loopback', server.port, ['127.0.0.1'], aborted);
        return Object.defineProperty(socket, 'remoteAddress', { value: reached });
      },
      tunnel: undefined,
      trust: makeTrust([]),
      limits: NETWORK_LIMITS,
      refusals: makeRefusals({ id: 'weather', manifest: 'm' }, [], NETWORK_LIMITS),
    });
    return { connected, dial: () => dial(new URL('http://api.test/'), signal) };
  }

  it('connects to the very addresses that were checked, though the next answer is another', async () => {
    const { connected, dial } = await dialling([[PUBLIC], ['127.0.0.1']], PUBLIC);
    expect((await dial()).address).toBe(PUBLIC);
    expect(connected).toEqual([[PUBLIC]]);

    await expect(dial()).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    expect(connected).toEqual([[PUBLIC]]);
  });

  it.each(['10.0.0.1', 'fd00::1', '::ffff:127.0.0.1', '64:ff9b::a00:1', 'elsewhere'])(
    'connects to no address if one of the answers is %s, first or last',
    async (bad) => {
      const { connected, dial } = await dialling(
        [
          [PUBLIC, bad],
          [bad, PUBLIC],
        ],
        PUBLIC,
      );
      await expect(dial()).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
      await expect(dial()).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
      expect(connected).toEqual([]);
    },
  );

  it.each(['127.0.0.1', '::ffff:10.0.0.1', '169.254.169.254'])(
    'is refused if the connection ended at %s, whatever was requested',
    async (reached) => {
      const { dial } = await dialling([[PUBLIC]], reached);
      await expect(dial()).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    },
  );
});

describe('a connection', () => {
  it('goes to the addresses that were checked, and looks no name up', async () => {
    const server = await serve((_request, response) => response.end());
    const socket = await connectTcp('no.such.name.test', server.port, ['127.0.0.1'], signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('tries the next address if one does not answer', async () => {
    const server = await serve((_request, response) => response.end());
    const socket = await connectTcp('two.test', server.port, ['127.0.0.2', '127.0.0.1'], signal);
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });
});

describe('a host override', () => {
  it('opens a granted private host on any port and scheme', async () => {
    const server = await serve((request, response) => response.end(request.headers.host));
    const overrides = [{ host: 'LOCALHOST.', url: server.url }];
    const broker = brokerFor(undefined, { overrides, allows: () => true });
    for (const [url, host] of [
      ['http://localhost/', 'localhost'],
      ['https://localhost/', 'localhost'],
      ['https://localhost:8443/', 'localhost:8443'],
    ]) {
      expect(await textOf((await broker.get(url ?? '')).body)).toBe(host);
    }
  });

  it('opens nothing that is not granted', async () => {
    const server = await serve((_request, response) => response.end());
    const broker = brokerFor(server, { allows: () => false });
    await expect(broker.get('http://api.test/')).rejects.toMatchObject({ code: 'NETWORK_DENIED' });
    expect(server.connections).toBe(0);
  });

  it('opens that host alone, not those below it', async () => {
    const server = await serve((_request, response) => response.end());
    const broker = brokerFor(server, { allows: () => true, resolve: async () => ['10.0.0.1'] });
    await expect(broker.get('http://a.api.test/')).rejects.toMatchObject({
      code: 'NETWORK_DENIED',
    });
    expect(server.connections).toBe(0);
  });

  it.each([
    [{ host: 'api.test:80', url: 'http://127.0.0.1' }],
    [{ host: 'api.test/x', url: 'http://127.0.0.1' }],
    [{ host: 'u@api.test', url: 'http://127.0.0.1' }],
    [{ host: '', url: 'http://127.0.0.1' }],
    [{ host: 'api.test', url: '127.0.0.1:80' }],
    [{ host: 'api.test', url: 'ftp://127.0.0.1' }],
    [{ host: 'api.test', url: 'http://127.0.0.1/base' }],
    [{ host: 'api.test', url: 'http://u:p@127.0.0.1' }],
  ])('is refused at once if it is %j', (override) => {
    expect(() => brokerFor(undefined, { overrides: [override] })).toThrow(/host override/);
  });
});

describe('a server of this process', () => {
  it('is refused, also to a host override, until it closes', async () => {
    const server = await serve((_request, response) => response.end('inside'));
    const overrides = [{ host: 'api.test', url: server.url }];
    const release = reserveOwnPort(server.port);
    const broker = brokerFor(undefined, { overrides, allows: () => true });

    await expect(broker.get('http://api.test/')).rejects.toMatchObject({
      code: 'NETWORK_DENIED',
      message: expect.stringContaining('leads to a server of Bulkhead itself') as string,
    });
    release();
    release();
    expect(await textOf((await broker.get('http://api.test/')).body)).toBe('inside');
    expect(server.seen).toEqual(['GET /']);
  });
});
