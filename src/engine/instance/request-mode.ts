import type { Json } from '../../../sandbox/wire/messages.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { IncomingRequest } from '../../../sandbox/wire/service.js';
import type { RequestGate as OutboundGate } from '../../brokers/network/outbound-request.js';
import type { RiskBand } from '../../plugin/risk.js';
import type { CallTracker } from './in-flight.js';

/** Where the bytes of a request and of its answer flow. The guest's peer is one. */
export type ByteStreams = Pick<Peer, 'openStream' | 'acceptStream'>;

/** One request of a guest for a capability of its host. `params` are not checked yet. */
export interface GuestRequest {
  readonly peer: Peer;
  /** Default: the peer. A synchronous request has streams of its own. */
  readonly streams?: ByteStreams;
  readonly method: string;
  readonly params: unknown;
  readonly request: IncomingRequest;
}

/**
 * How the requests of an instance's guests are decided. Live calls, dry runs, recordings and replays
 * each have a mode. A mode decides first; the gate then dispatches to the broker of the permission.
 */
export interface RequestMode {
  readonly name: 'live' | 'dry-run' | 'replay' | 'program';
  /** Throws for a request that this mode refuses, whatever is granted. */
  readonly check?: (request: GuestRequest) => void;
  /** Returns the gate for this guest's writing HTTP requests, if there is one. */
  readonly outbound?: (peer: Peer) => OutboundGate | undefined;
  /**
   * What a request that may change something waits for, e.g. its audit record. It rejects if the request
   * must not happen. `undefined`: nothing. Writing HTTP requests wait in `outbound`.
   */
  readonly beforeEffect?: (request: GuestRequest) => Promise<void> | undefined;
  /** Whether a refused request gets an empty answer instead, so that the plugin continues. Default: no. */
  readonly isStandIn?: (error: unknown) => boolean;
  /** Answers in place of the broker. Absent: the broker answers. */
  readonly answer?: (request: GuestRequest) => unknown;
}

/** The instance whose requests a mode decides. */
export interface ModeSubject {
  readonly plugin: string;
  readonly version: string | undefined;
  /** Hash of the bundle. */
  readonly bundle: string;
  /** Whether its code also runs between calls: hooks, or work in the background. */
  readonly actsUncalled: boolean;
  readonly calls: CallTracker;
  /** The grant and the configuration, which an approval covers. */
  readonly terms: () => Json;
  /** The risk of a power that the host lends; `undefined` if there is no such power. */
  readonly riskOfPower: (name: string) => RiskBand | undefined;
}

export type RequestModeFactory = (subject: ModeSubject) => RequestMode;

/** Refuses every request, because a replayed guest gets its answers from the recording. */
export function replayMode(plugin: string): RequestMode {
  return {
    name: 'replay',
    answer: ({ method }) => {
      throw new Error(`The recording of ${plugin} has no answer to this ${method.slice(0, 40)}.`);
    },
  };
}
