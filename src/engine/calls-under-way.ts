import type { Peer } from '../../sandbox/wire/peer.js';
import type { Attribution } from '../brokers/attribution.js';

/**
 * Which calls each guest of an entry has under way. A guest does not say for which of them it asks
 * something, and would not be believed if it did: what the host can know is what it may have been.
 */
export interface CallsUnderWay {
  began(peer: Peer, call: string): void;
  ended(peer: Peer, call: string): void;
  of(peer: Peer): Attribution;
}

/** Calls that are named where it may have been any of them. */
const MAX_NAMED = 16;

const NOBODY: Attribution = {};

export function makeCallsUnderWay(): CallsUnderWay {
  const byPeer = new WeakMap<Peer, Set<string>>();
  return {
    began: (peer, call) => {
      const calls = byPeer.get(peer);
      if (calls === undefined) byPeer.set(peer, new Set([call]));
      else calls.add(call);
    },
    ended: (peer, call) => {
      byPeer.get(peer)?.delete(call);
    },
    of: (peer) => {
      const calls = byPeer.get(peer);
      if (calls === undefined || calls.size === 0) return NOBODY;
      const [first] = calls;
      if (calls.size === 1 && first !== undefined) return { call: first };
      return { among: [...calls].slice(0, MAX_NAMED) };
    },
  };
}
