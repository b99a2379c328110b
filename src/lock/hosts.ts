/**
 * Hosts that a bundle names, in the addresses that stand in it. What it puts together when it runs
 * is not found: this shows what changed, and the grant decides what is reached.
 */
export function hostsIn(code: string): readonly string[] {
  const hosts = new Set<string>();
  for (const [, host] of code.matchAll(ADDRESS)) {
    if (host === undefined || hosts.size >= MAX_HOSTS || !/\.|^localhost$/i.test(host)) continue;
    const text = `http://${host}`;
    if (URL.canParse(text)) hosts.add(new URL(text).hostname);
  }
  return [...hosts].toSorted();
}

const MAX_HOSTS = 500;

/** The labels are bounded, so that no text takes long to be looked through. */
const ADDRESS = /(?:https?|wss?):\/\/([a-z0-9][a-z0-9.-]{0,252})/gi;
