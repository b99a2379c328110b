import { describe, expect, it } from 'vitest';
import {
  blockedName,
  hostOf,
  portOf,
  withoutRootDot,
} from '../../../src/brokers/network/addresses.js';

describe('a name', () => {
  it.each([
    ['localhost', 'a local name'],
    ['a.localhost', 'a local name'],
    ['printer.local', 'a local name'],
    ['localhost.localdomain', 'a local name'],
    ['metadata.google.internal', 'a local name'],
    ['instance-data.ec2.internal', 'a local name'],
    ['router.lan', 'a local name'],
    ['nas.home.arpa', 'a local name'],
    ['wiki.corp', 'a local name'],
    ['intra.intranet', 'a local name'],
    ['kubernetes.default.svc', 'a local name'],
    ['api.cluster.local', 'a local name'],
    ['metadata', 'a name without a domain'],
    ['kubernetes', 'a name without a domain'],
    ['', 'not a host name'],
    ['example..com', 'not a host name'],
  ])('%j is refused unresolved, as %s', (name, why) => {
    expect(blockedName(name)).toBe(why);
  });

  it.each([
    'example.com',
    'localhost.example.com',
    'local.example.com',
    'internal.example.com',
    'xn--bcher-kva.example',
    'my-localhost.com',
  ])('%s is resolved', (name) => {
    expect(blockedName(name)).toBeUndefined();
  });
});

describe('the host of a URL', () => {
  it.each([
    ['http://LOCALHOST/', 'localhost'],
    ['http://localhost./', 'localhost'],
    ['http://127.1/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://1２７.0.0.1/', '127.0.0.1'],
    ['http://ⓛocalhost/', 'localhost'],
    ['http://loc%61lhost/', 'localhost'],
    ['http://[::1]/', '::1'],
    ['http://[0:0::1]/', '::1'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
  ])('of %s is %s', (text, host) => {
    expect(hostOf(withoutRootDot(new URL(text)))).toBe(host);
  });

  it('with a second trailing dot is not valid', () => {
    const host = hostOf(withoutRootDot(new URL('http://localhost../')));
    expect(host).toBe('localhost.');
    expect(blockedName(host)).toBe('not a host name');
  });
});

describe('the port of a URL', () => {
  it('is the default of its scheme if none is named', () => {
    expect(portOf(new URL('https://api.test/'))).toBe(443);
    expect(portOf(new URL('http://api.test/'))).toBe(80);
    expect(portOf(new URL('http://api.test:443/'))).toBe(443);
  });
});
