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
