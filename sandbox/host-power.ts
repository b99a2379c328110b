import type { HostPower } from './endowments/endowment.js';
import type { Peer } from './wire/peer.js';

/** The host, as endowments ask it: requests that can be given up, notices, and byte streams. */
export function makeHostPower(peer: Peer, notify: Peer['notify'] = peer.notify): HostPower {
  return {
    request: (method, params, options) => {
      const asked = peer.ask(method, params);
      const stop = options?.onAbort?.(() => asked.cancel('aborted'));
      if (stop !== undefined) asked.answer.then(stop, stop);
      return asked.answer;
    },
    notify,
    notifyAlways: peer.notify,
    openStream: peer.openStream,
    acceptStream: peer.acceptStream,
  };
}
