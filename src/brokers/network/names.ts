import { isIP } from 'node:net';

/** The host of a URL, without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/** The port that a URL leads to, its scheme's own where it names none. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/**
 * Takes the root's dot from a host name, so that `localhost.` is `localhost` and one host has one
 * name in every check. The URL parser has done the rest: case, IDN, and every notation of IPv4.
 */
export function withoutRootDot(url: URL): URL {
  if (!url.hostname.endsWith('.')) return url;
  const undotted = new URL(url);
  undotted.hostname = url.hostname.slice(0, -1);
  return undotted;
}

/**
 * Why a name is refused before anybody resolves it, or `undefined`. These names mean something
 * else in every network, so what they resolve to proves nothing, and a proxy would resolve them
 * in its own.
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
  // `metadata.google.internal` and its like: the keys of the machine that we run on.
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  // Kubernetes: `kubernetes.default.svc`.
  'svc',
]);
