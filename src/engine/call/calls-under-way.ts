import type { Peer } from '../../../sandbox/wire/peer.js';
import type { Attribution } from '../../brokers/attribution.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { Deadline } from './deadline.js';
import { leave } from './leave.js';
import type { CallOptions } from '../options/options.js';

/** A call that a guest has under way. */
export interface Flight {
  readonly callId: string;
  readonly tool: CatalogTool;
  readonly version: string | undefined;
  readonly bundle: string;
  readonly inputText: string;
  readonly options: CallOptions;
  readonly deadline: Pick<Deadline, 'pause' | 'resume'>;
}

/** What a guest may be doing something for, as far as its host can know. */
export interface Flights {
  readonly underWay: readonly Flight[];
  /** The call that ended last, while none is under way: what goes on then it may have begun. */
  readonly last: Flight | undefined;
}

/**
 * Which calls each guest of an entry has under way. A guest does not say for which of them it asks
 * something, and would not be believed if it did: what the host can know is what it may have been.
 */
export interface CallsUnderWay {
  began(peer: Peer, flight: Flight): void;
  ended(peer: Peer, flight: Flight): void;
  of(peer: Peer): Attribution;
  flights(peer: Peer): Flights;
}

/** Calls that are named where it may have been any of them. */
const MAX_NAMED = 16;

const NOBODY: Attribution = {};

export function makeCallsUnderWay(): CallsUnderWay {
  const byPeer = new WeakMap<Peer, { readonly underWay: Flight[]; last: Flight | undefined }>();
  return {
    began: (peer, flight) => {
      const calls = byPeer.get(peer);
      if (calls === undefined) byPeer.set(peer, { underWay: [flight], last: undefined });
      else calls.underWay.push(flight);
    },
    ended: (peer, flight) => {
      const calls = byPeer.get(peer);
      if (calls === undefined) return;
      leave(calls.underWay, flight);
      calls.last = flight;
    },
    of: (peer) => {
      const [first, ...others] = byPeer.get(peer)?.underWay ?? [];
      if (first === undefined) return NOBODY;
      if (others.length === 0) return { call: first.callId };
      return { among: [first, ...others].slice(0, MAX_NAMED).map(({ callId }) => callId) };
    },
    flights: (peer) => {
      const { underWay = [], last } = byPeer.get(peer) ?? {};
      return { underWay: [...underWay], last: underWay.length === 0 ? last : undefined };
    },
  };
}
