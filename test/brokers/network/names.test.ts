import { describe, expect, it } from 'vitest';
import { blockedName, hostOf, portOf, withoutRootDot } from '../../../src/brokers/network/names.js';

describe('a name', () => {
  it.each([
    'localhost',
    'a.localhost',
    'printer.local',
    'localhost.localdomain',
    'metadata.google.internal',
    'instance-data.ec2.internal',
    'router.lan',
    'nas.home.arpa',
    'wiki.corp',
    'intra.intranet',
    'kubernetes.default.svc',
    'api.cluster.local',
    'metadata',
    'kubernetes',
    '',
    'example..com',
  ])('%j is refused unresolved', (name) => {
    expect(blockedName(name)).toBeDefined();
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

  it('keeps a second dot, with which it is no name', () => {
    expect(blockedName(hostOf(withoutRootDot(new URL('http://localhost../'))))).toBeDefined();
  });
});

describe('the port of a URL', () => {
  it("is its scheme's own where none is named", () => {
    expect(portOf(new URL('https://api.test/'))).toBe(443);
    expect(portOf(new URL('http://api.test/'))).toBe(80);
    expect(portOf(new URL('http://api.test:443/'))).toBe(443);
  });
});
