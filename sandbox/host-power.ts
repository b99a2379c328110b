import type { HostCapability } from './endowments/endowment.js';
import type { Peer } from './wire/peer.js';
import { NOTICES_PER_SECOND } from './wire/limits.js';

/** The host for the endowments: requests that can be cancelled, notices and byte streams. */
export function makeHostPower(
  peer: Peer,
  notify: Peer['notify'],
  requestNow: HostCapability['requestNow'],
): HostCapability {
  return {
    request: (method, params, options) => {
      const asked = peer.ask(method, params);
      const stop = options?.onAbort?.(() => asked.cancel('aborted'));
      if (stop !== undefined) asked.answer.then(stop, stop);
      return asked.answer;
    },
    requestNow,
    notify,
    notifyAlways: peer.notify,
    openStream: peer.openStream,
    acceptStream: peer.acceptStream,
  };
}

const SECOND_MS = 1000;

/**
 * Sends notices, at most `NOTICES_PER_SECOND`. It drops and counts the rest, and reports the count in
 * a log line with the first notice of a later second.
 */
export function makeNotifier(peer: Peer, now: () => number): Peer['notify'] {
  let began = -Infinity;
  let said = 0;
  let dropped = 0;
  return (method, params) => {
    const at = now();
    if (at - began >= SECOND_MS) {
      began = at;
      said = 0;
      if (dropped > 0) peer.notify('log', { level: 'warn', text: formatDropped(dropped) });
      dropped = 0;
    }
    said += 1;
    // guard: notice-rate-cap
    if (said > NOTICES_PER_SECOND) dropped += 1;
    else peer.notify(method, params);
  };
}

function formatDropped(count: number): string {
  return `${count} further lines, faults and denials in one second were dropped`;
}
