import { Resolver } from 'node:dns/promises';

/** All addresses of a host. Rejects where it has none, and as soon as the signal aborts. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the machine's name servers, or those named (`address:port`). Not by `dns.lookup`: that runs
 * `getaddrinfo` on the four threads that also serve files and decompression, and cannot be
 * cancelled, so that a plugin with a slow name server of its own could stop them all. What
 * `dns.lookup` adds, the hosts file, is for operators, and they have host overrides.
 */
export function makeResolve(servers?: readonly string[]): Resolve {
  return async (host, signal) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const [ipv4, ipv6] = await Promise.allSettled([
        resolver.resolve4(host),
        resolver.resolve6(host),
      ]);
      if (ipv4.status === 'rejected' && ipv6.status === 'rejected') throw ipv4.reason;
      // IPv4 first: where a machine has only one of them, it is that.
      return [ipv4, ipv6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
