import { isIP } from 'node:net';

import ipaddr from 'ipaddr.js';

/**
 * Which kind of address that no plugin reaches `address` is, or `undefined` for a public one.
 * Whatever is not an address counts as blocked.
 */
export function blockedRange(address: string): string | undefined {
  // Asked of Node and not of ipaddr.js, which also reads `0x7f.1`, where a resolver answers that.
  if (isIP(address) === 0) return 'not an address';
  // ::ffff:a.b.c.d is a.b.c.d to the kernel, so it is judged as that.
  const parsed = ipaddr.process(isIP(address) === 6 ? withoutDots(address) : address);
  if (parsed.kind() === 'ipv4') return nameOf(parsed, IPV4_BLOCKED);
  const named = nameOf(parsed, IPV6_BLOCKED);
  if (named !== undefined) return named;
  // Only one eighth of IPv6 is in use for public hosts. What it gets next, we have to learn first.
  return parsed.match(IPV6_PUBLIC) ? undefined : 'reserved';
}

/** IPv6 in hexadecimal alone and without a zone: ipaddr.js takes `::8.8.8.8` for `::ffff:8.8.8.8`. */
function withoutDots(address: string): string {
  return new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
}

type Range = readonly [ranges: readonly string[], name: string];

// The registries of special-purpose addresses (RFC 6890 and what followed), as far as they are not
// plain public hosts. ipaddr.js has a table too, but calls `::a.b.c.d` unicast.
const IPV4_RANGES: readonly Range[] = [
  [['0.0.0.0/8'], 'unspecified'],
  [['127.0.0.0/8'], 'loopback'],
  [['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], 'private'],
  [['100.64.0.0/10'], 'carrier-grade NAT'],
  [['169.254.0.0/16'], 'link-local'],
  // Not in any registry: Azure's metadata and DNS for the virtual machines that it hosts.
  [['168.63.129.16/32'], 'cloud metadata'],
  [['192.0.0.0/24'], 'protocol assignment'],
  [['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24'], 'documentation'],
  [['192.88.99.0/24'], '6to4 relay'],
  [['198.18.0.0/15'], 'benchmarking'],
  [['224.0.0.0/4'], 'multicast'],
  [['255.255.255.255/32'], 'broadcast'],
  [['240.0.0.0/4'], 'reserved'],
];

const IPV6_RANGES: readonly Range[] = [
  [['::/128'], 'unspecified'],
  [['::1/128'], 'loopback'],
  // a.b.c.d in disguises that some router or kernel turns back.
  [['::/96'], 'IPv4-compatible'],
  [['::ffff:0:0:0/96'], 'IPv4-translated'],
  [['64:ff9b::/96', '64:ff9b:1::/48'], 'NAT64'],
  [['2002::/16'], '6to4'],
  [['2001::/32'], 'Teredo'],
  [['2001:2::/48'], 'benchmarking'],
  [['2001:db8::/32', '3fff::/20'], 'documentation'],
  [['2001::/23'], 'protocol assignment'],
  [['fc00::/7'], 'private'],
  [['fe80::/10'], 'link-local'],
  [['fec0::/10'], 'site-local'],
  [['ff00::/8'], 'multicast'],
];

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const IPV4_BLOCKED = IPV4_RANGES.map(compile);
const IPV6_BLOCKED = IPV6_RANGES.map(compile);
const IPV6_PUBLIC: [Address, number] = ipaddr.parseCIDR('2000::/3');

function compile([ranges, name]: Range): { name: string; ranges: [Address, number][] } {
  return { name, ranges: ranges.map((range) => ipaddr.parseCIDR(range)) };
}

function nameOf(
  address: Address,
  table: readonly ReturnType<typeof compile>[],
): string | undefined {
  return table.find(({ ranges }) => ranges.some((range) => address.match(range)))?.name;
}
