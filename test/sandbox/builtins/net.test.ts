import type * as NodeDns from 'node:dns';
import type * as NodeNet from 'node:net';
import type * as NodeConsumers from 'node:stream/consumers';
import type * as NodeTls from 'node:tls';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { loadBuiltin } from './load.js';

const net = await loadBuiltin<typeof NodeNet>('net');
const tls = await loadBuiltin<typeof NodeTls>('tls');
const dns = await loadBuiltin<typeof NodeDns>('dns');

describe('a socket without a network', () => {
  it.each([
    ['net.connect', () => net.connect({ host: 'a.example', port: 80 }), 'a.example:80'],
    ['net.createConnection', () => net.createConnection(25, 'b.example'), 'b.example:25'],
    ['socket.connect', () => new net.Socket().connect('/run/x.sock'), '/run/x.sock'],
    ['tls.connect', () => tls.connect(443, 'c.example'), 'c.example:443'],
  ])('is made, and fails by an error event: %s', async (_name, connect, target) => {
    const socket = connect();
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'EACCES', errno: -13, syscall: 'connect' });
    expect(String(error)).toContain(`${target}: plugins have no sockets. Use fetch`);
    expect(socket.destroyed).toBe(true);
  });

  it('fails to write, by an error event', async () => {
    const socket = new net.Socket();
    socket.write('x');
    const [error] = await once(socket, 'error');
    expect(error).toMatchObject({ code: 'EACCES', syscall: 'write' });
  });

  it('has the classes that packages name while they are loaded', () => {
    expect(new tls.TLSSocket(new net.Socket())).toBeInstanceOf(net.Socket);
    expect(net.isIP('::1')).toBe(6);
    expect(net.getDefaultAutoSelectFamilyAttemptTimeout()).toBe(250);
  });
});

describe('a name lookup', () => {
  it.each([
    ['lookup', dns.lookup, dns.promises.lookup, 'getaddrinfo'],
    ['resolve4', dns.resolve4, dns.promises.resolve4, 'query4'],
    ['reverse', dns.reverse, dns.promises.reverse, 'reverse'],
  ])('%s fails by its callback, or rejects', async (_name, find, findAsync, syscall) => {
    const error = await new Promise((resolve) => {
      find('a.example', resolve);
    });
    expect(error).toMatchObject({ code: 'EACCES', syscall });
    await expect(findAsync('a.example')).rejects.toMatchObject({ code: 'EACCES', syscall });
  });
});

describe('node:stream/consumers', () => {
  it('reads whole streams', async () => {
    const consumers = await loadBuiltin<typeof NodeConsumers>('stream-consumers');
    const parts = (): Readable => Readable.from(['{"a":', Buffer.from('"\u00e9"}')]);
    expect(await consumers.text(parts())).toBe('{"a":"\u00e9"}');
    expect(await consumers.json(parts())).toEqual({ a: '\u00e9' });
    expect((await consumers.buffer(parts())).length).toBe(10);
    expect((await consumers.arrayBuffer(parts())).byteLength).toBe(10);
    expect((await consumers.blob(parts())).size).toBe(10);
  });
});

describe('a list of blocked addresses', () => {
  const ADDRESSES: readonly (readonly [string, NodeNet.IPVersion])[] = [
    ['10.0.0.1', 'ipv4'],
    ['10.0.0.255', 'ipv4'],
    ['10.0.1.0', 'ipv4'],
    ['192.168.7.9', 'ipv4'],
    ['255.255.255.255', 'ipv4'],
    ['::1', 'ipv6'],
    ['fe80::12:1', 'ipv6'],
    ['fe80::1:2:3:4%eth0', 'ipv6'],
    ['::ffff:10.0.0.7', 'ipv6'],
    ['::ffff:a00:7', 'ipv6'],
    ['2001:db8:0:0:1::', 'ipv6'],
    ['nonsense', 'ipv4'],
    ['::1', 'ipv4'],
  ];

  /** What a list of one of the two modules answers. */
  function answersOf({ BlockList }: typeof NodeNet): unknown {
    const list = new BlockList();
    const said = (act: () => unknown): unknown => {
      try {
        return act();
      } catch (error) {
        return Reflect.get(Object(error), 'code');
      }
    };
    const before = ADDRESSES.map(([address, family]) => said(() => list.check(address, family)));
    const made = [
      said(() => list.addAddress('192.168.7.9')),
      said(() => list.addAddress('::1', 'ipv6')),
      said(() => list.addRange('10.0.0.250', '10.0.1.0')),
      said(() => list.addRange('10.0.1.0', '10.0.0.250')),
      said(() => list.addSubnet('10.0.0.9', 28)),
      said(() => list.addSubnet('fe80::', 64, 'ipv6')),
      said(() => list.addSubnet('2001:db8::', 0, 'ipv6')),
      said(() => list.addSubnet('10.0.0.0', 33)),
      said(() => list.addSubnet('10.0.0.0', 1.5)),
      said(() => list.addAddress('300.1.1.1')),
      said(() => list.addAddress('::1')),
      said(() => Reflect.apply(list.addAddress.bind(list), undefined, [5])),
      said(() => Reflect.apply(list.addAddress.bind(list), undefined, ['::1', 'ipv5'])),
    ];
    const after = ADDRESSES.map(([address, family]) => said(() => list.check(address, family)));
    return { before, made, after, rules: list.rules };
  }

  it('answers as that of Node', async () => {
    expect(answersOf(net)).toEqual(answersOf(await import('node:net')));
  });
});
