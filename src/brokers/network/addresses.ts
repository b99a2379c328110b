import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/** The port of a URL, or the default port of its scheme. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/**
 * Removes the final dot of a host name, so that every check treats `localhost.` as `localhost`. The
 * URL parser has normalized case, IDN, and every notation of IPv4.
 */
export function withoutRootDot(url: URL): URL {
  if (!url.hostname.endsWith('.')) return url;
  const undotted = new URL(url);
  // guard: final-dot-removed
  undotted.hostname = url.hostname.slice(0, -1);
  return undotted;
}

/**
 * Why a name is refused before it is resolved, or `undefined`. Local names have a different meaning
 * in every network, so a check of their addresses proves nothing. A proxy would resolve them in its
 * own network.
 */
export function blockedName(host: string): string | undefined {
  if (isIP(host) !== 0) return undefined;
  const labels = host.split('.');
  if (labels.includes('')) return 'not a host name';
  const top = labels.at(-1) ?? '';
  if (LOCAL_TOP_LABELS.has(top) || host.endsWith('.home.arpa')) return 'a local name';
  if (labels.length === 1) return 'a name without a domain';
  return undefined;
}

const LOCAL_TOP_LABELS = new Set([
  'localhost',
  'localdomain',
  'local',
  // Such as `metadata.google.internal`, which serves the credentials of this machine.
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  // Kubernetes: `kubernetes.default.svc`.
  'svc',
]);

/** Why an address is blocked, or `undefined` for a public one. Other text is blocked. */
export function blockedRange(address: string): string | undefined {
  // Checked by Node: ipaddr.js also accepts `0x7f.1`, which a resolver may answer.
  // guard: address-is-strict
  if (isIP(address) === 0) return 'not an address';
  // The kernel treats ::ffff:a.b.c.d as a.b.c.d.
  // guard: mapped-ipv6-unmapped
  const parsed = ipaddr.process(isIP(address) === 6 ? withoutDots(address) : address);
  if (parsed.kind() === 'ipv4') return nameOf(parsed, IPV4_BLOCKED);
  const named = nameOf(parsed, IPV6_BLOCKED);
  if (named !== undefined) return named;
  // Only one eighth of IPv6 is in use for public hosts.
  // guard: ipv6-block-is-public
  return parsed.match(IPV6_PUBLIC) ? undefined : 'reserved';
}

/** IPv6 in hexadecimal without a zone: ipaddr.js confuses `::8.8.8.8` with `::ffff:8.8.8.8`. */
function withoutDots(address: string): string {
  return new URL(`http://[${address.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
}

type Range = readonly [ranges: readonly string[], name: string];

// The registries of special-purpose addresses (RFC 6890 and later). ipaddr.js has a table too, but
// calls `::a.b.c.d` unicast.
const IPV4_RANGES: readonly Range[] = [
  [['0.0.0.0/8'], 'unspecified'],
  [['127.0.0.0/8'], 'loopback'],
  [['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], 'private'],
  [['100.64.0.0/10'], 'carrier-grade NAT'],
  [['169.254.0.0/16'], 'link-local'],
  // In no registry: Azure's metadata service and DNS for its virtual machines.
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
  // Forms of a.b.c.d that some router or kernel translates back.
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
