import type { HostPower } from './endowments/endowment.js';
import { makeFailure, WireError } from './wire/failure.js';
import type { Peer } from './wire/peer.js';

/** The host, as endowments ask it: requests that can be given up, and byte streams. */
export function makeHostPower(peer: Peer): Omit<HostPower, 'notify'> {
  return {
    request: (method, params, options) => {
      const asked = peer.ask(method, params);
      const { onAbort } = options ?? {};
      if (onAbort === undefined) return asked.answer;
      return new Promise((resolve, reject) => {
        const stop = onAbort(() => {
          asked.cancel('aborted');
          reject(new WireError(makeFailure('AbortError', 'aborted', { code: 'CANCELLED' })));
        });
        asked.answer.then(resolve, reject).finally(stop);
      });
    },
    openStream: peer.openStream,
    acceptStream: peer.acceptStream,
  };
}
