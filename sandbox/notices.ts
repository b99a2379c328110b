import { NOTICES_PER_SECOND } from './wire/limits.js';
import type { Peer } from './wire/peer.js';

const SECOND_MS = 1000;

/**
 * Says things to the host unasked, as many in a second as a host will hear. What is over is counted
 * and told as one log line, with the first notice of a later second.
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
      if (dropped > 0) peer.notify('log', { level: 'warn', text: tellDropped(dropped) });
      dropped = 0;
    }
    said += 1;
    if (said > NOTICES_PER_SECOND) dropped += 1;
    else peer.notify(method, params);
  };
}

function tellDropped(count: number): string {
  return `${count} further lines, faults and denials in one second were dropped`;
}
