import type { EndowmentCapabilities } from './endowment.js';
import { withCode } from './errors.js';

/** Characters of an address in an event. */
const MAX_TARGET = 150;

/**
 * The class `WebSocket` of npm packages, which throws when it is used. Clients of HTTP services often
 * need the class before they connect, and never connect. The plugin's own code has no such name.
 */
export function absentWebSocket({ denied }: Pick<EndowmentCapabilities, 'denied'>): object {
  return class WebSocket {
    static readonly CONNECTING = 0;
    static readonly OPEN = 1;
    static readonly CLOSING = 2;
    static readonly CLOSED = 3;

    constructor(address: unknown) {
      const target = typeof address === 'string' ? ` ${address.slice(0, MAX_TARGET)}` : '';
      const message = `new WebSocket is refused to plugins: no permission grants it. Use fetch with the permission "network"; streams of a response are supported.`;
      const error = withCode(new Error(message), 'BUILTIN_DENIED');
      denied('builtin', `WebSocket${target}`, error);
      throw error;
    }
  };
}
