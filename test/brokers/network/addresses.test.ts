import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockedRange } from '../../../src/brokers/network/addresses.js';

describe('an address', () => {
  it.each([
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['100.100.100.200', 'carrier-grade NAT'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['169.254.169.254', 'link-local'],
    ['168.63.129.16', 'cloud metadata'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.8', 'protocol assignment'],
    ['192.0.2.1', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.1.1', 'private'],
    ['198.18.0.1', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::8.8.8.8', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['::ffff:10.0.0.1', 'private'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b::8.8.8.8', 'NAT64'],
    ['64:ff9b:1::a00:1', 'NAT64'],
    ['100::1', 'reserved'],
    ['2001::1', 'Teredo'],
    ['2001:0:7f00:1::', 'Teredo'],
    ['2001:2::1', 'benchmarking'],
    ['2001:10::1', 'protocol assignment'],
    ['2001:20::1', 'protocol assignment'],
    ['2001:db8::1', 'documentation'],
    ['3fff::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['2002:a00:1::1', '6to4'],
    ['4000::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['fc00::1', 'private'],
    ['fd00:ec2::254', 'private'],
    ['fe80::1', 'link-local'],
    ['fe80::1%lo', 'link-local'],
    ['fe90::1', 'link-local'],
    ['febf::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
  ])('%s is refused as %s', (address, range) => {
    expect(blockedRange(address)).toBe(range);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
  ])('%s is public', (address) => {
    expect(blockedRange(address)).toBeUndefined();
  });

  it.each(['', 'localhost', '0x7f.1', '2130706433', '127.1', '1.1.1.1 ', '[::1]', '1.1.1.1/8'])(
    '%j is none, and so refused',
    (text) => {
      expect(blockedRange(text)).toBe('not an address');
    },
  );

  it('is judged alike bare and mapped into IPv6', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(blockedRange(`::ffff:${address}`)).toBe(blockedRange(address));
      }),
    );
  });

  it('is refused in every form of IPv6 that carries an IPv4 address, except mapped', () => {
    const hex = (address: string): string =>
      address
        .split('.')
        .map((part) => Number(part).toString(16).padStart(2, '0'))
        .join('')
        .replace(/^(....)(....)$/, '$1:$2');
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        // ::0.0.0.0 and ::0.0.0.1 are addresses of IPv6 itself.
        const own = { '0.0.0.0': 'unspecified', '0.0.0.1': 'loopback' }[address];
        const ranges = {
          '::': own ?? 'IPv4-compatible',
          '64:ff9b::': 'NAT64',
          '64:ff9b:1::': 'NAT64',
          '::ffff:0:': 'IPv4-translated',
        };
        for (const [form, range] of Object.entries(ranges)) {
          expect(blockedRange(`${form}${hex(address)}`)).toBe(range);
          expect(blockedRange(`${form}${address}`)).toBe(range);
        }
        expect(blockedRange(`2002:${hex(address)}::1`)).toBe('6to4');
        expect(blockedRange(`2001:0:${hex(address)}::1`)).toBe('Teredo');
      }),
    );
  });
});
