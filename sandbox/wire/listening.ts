/** Modules of Node with which a program reaches the network. */
export const NETWORK_MODULES: ReadonlySet<string> = new Set(
  'dgram dns dns/promises http http2 https net node-fetch tls undici'.split(' '),
);

/** Whether a member of a module waits for others to connect: `http`, `createServer`. */
export function isListening(module: string, path: string): boolean {
  return NETWORK_MODULES.has(module) && LISTENS.test(path);
}

const LISTENS = /^(?:create(?:Secure)?Server|Server|SecureServer)\b/;
