import { BROADCAST_BYTES } from '../../../sandbox/wire/hooks.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Json } from '../../../sandbox/wire/messages.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { Attribution } from '../../brokers/record.js';
import type { FileMaker } from '../../brokers/written-files.js';
import type { CatalogTool } from '../../catalog/catalog.js';
import type { EventBus } from '../../events.js';
import type { CallProgress } from '../../remotes/remote.js';
import { GUEST_LIMITS } from '../types/limits.js';
import type { CallOptions } from '../types/options.js';

/** A running call of a guest. */
export interface OpenCall {
  readonly callId: string;
  /** The id of the request that runs it in its guest. */
  readonly request: number;
  readonly tool: CatalogTool;
  readonly version: string | undefined;
  readonly bundle: string;
  readonly inputText: string;
  readonly options: CallOptions;
  /** Paused while an approver decides. */
  readonly deadline: { pause(): void; resume(): void };
}

/** The calls that a guest's request may belong to, as far as the host knows. */
export interface OpenCalls {
  readonly underWay: readonly OpenCall[];
  /** The last ended call, if no call is running. It may have started the current work. */
  readonly last: OpenCall | undefined;
}

/**
 * Tracks the running calls of each guest of an entry. A guest's own word about the call of a
 * request would not be trusted, so the host considers every running call.
 */
export interface CallTracker {
  /** Returns a mark for `actedSince`. */
  began(peer: Peer, flight: OpenCall): number;
  ended(peer: Peer, flight: OpenCall): void;
  /** The guest sent a request to its host, or output of a call. */
  acted(peer: Peer): void;
  /** Whether the guest has acted since `began` returned that mark. */
  actedSince(peer: Peer, mark: number): boolean;
  /** The caller of a call has given it up. The requests made through its context end. */
  givenUp(peer: Peer, request: number, why: string): void;
  /**
   * Attributes a request to the call whose context it was made through, as the guest says. `stop` is
   * called when that call is given up, or at once if it was. It is removed when the call ends, or by
   * the returned function.
   */
  attribute(peer: Peer, request: number, stop: (why: string) => void): () => void;
  attributionOf(peer: Peer): Attribution;
  openCallsOf(peer: Peer): OpenCalls;
  /** The calls of a file that is written now; `undefined` if they have several tenants, or none runs. */
  makerOf(peer: Peer): FileMaker | undefined;
}

/** The calls of one guest. */
interface GuestCalls {
  readonly underWay: OpenCall[];
  last: OpenCall | undefined;
  /** Requests and outputs of the guest so far. */
  acts: number;
  /** Why calls were given up, by request. The last `MAX_REMEMBERED` of them. */
  readonly givenUp: Map<number, string>;
  /** By request: what stops the requests made through the context of that call. */
  readonly stops: Map<number, Set<(why: string) => void>>;
}

/** Given-up calls of one guest that are remembered. At most 16 of them can be unsettled. */
const MAX_REMEMBERED = 64;

/** Calls that an event names if a request may belong to several. */
const MAX_NAMED = 16;

const UNATTRIBUTED: Attribution = {};

export function makeCallTracker(): CallTracker {
  const byPeer = new WeakMap<Peer, GuestCalls>();
  const callsOf = (peer: Peer): GuestCalls => {
    let calls = byPeer.get(peer);
    if (calls === undefined) {
      calls = { underWay: [], last: undefined, acts: 0, givenUp: new Map(), stops: new Map() };
      byPeer.set(peer, calls);
    }
    return calls;
  };
  return {
    began: (peer, flight) => {
      const calls = callsOf(peer);
      calls.underWay.push(flight);
      return calls.acts;
    },
    acted: (peer) => {
      callsOf(peer).acts += 1;
    },
    actedSince: (peer, mark) => callsOf(peer).acts !== mark,
    givenUp: (peer, request, why) => {
      const { givenUp, stops } = callsOf(peer);
      givenUp.set(request, why);
      const [oldest] = givenUp.keys();
      if (givenUp.size > MAX_REMEMBERED && oldest !== undefined) givenUp.delete(oldest);
      for (const stop of stops.get(request) ?? []) stop(why);
      stops.delete(request);
    },
    attribute: (peer, request, stop) => {
      const { underWay, givenUp, stops } = callsOf(peer);
      const why = givenUp.get(request);
      if (why !== undefined) stop(why);
      // A context may outlive its call. A request through it then belongs to no open call.
      if (why !== undefined || !underWay.some((flight) => flight.request === request)) {
        return () => {};
      }
      const all = stops.get(request) ?? new Set();
      stops.set(request, all.add(stop));
      return () => {
        all.delete(stop);
        if (all.size === 0) stops.delete(request);
      };
    },
    ended: (peer, flight) => {
      const calls = byPeer.get(peer);
      if (calls === undefined) return;
      leave(calls.underWay, flight);
      calls.stops.delete(flight.request);
      calls.last = flight;
    },
    attributionOf: (peer) => {
      const [first, ...others] = byPeer.get(peer)?.underWay ?? [];
      if (first === undefined) return UNATTRIBUTED;
      if (others.length === 0) return { call: first.callId };
      return { among: [first, ...others].slice(0, MAX_NAMED).map(({ callId }) => callId) };
    },
    makerOf: (peer) => {
      const [first, ...others] = byPeer.get(peer)?.underWay ?? [];
      if (first === undefined) return undefined;
      const { tenant } = first.options;
      // guard: file-of-one-tenant
      if (others.some((other) => other.options.tenant !== tenant)) return undefined;
      const calls = [first, ...others].slice(0, MAX_NAMED).map(({ callId }) => callId);
      return { calls, tenant };
    },
    openCallsOf: (peer) => {
      const { underWay = [], last } = byPeer.get(peer) ?? {};
      return { underWay: [...underWay], last: underWay.length === 0 ? last : undefined };
    },
  };
}

type Listeners = Pick<CallOptions, 'onOutput' | 'onProgress'>;

/** The listeners to the output of an entry's calls. */
export interface Outputs {
  /** `onProgress` gets the reports of progress, which `onOutput` otherwise gets as text. */
  open(call: string, listeners: Listeners): void;
  close(call: string): void;
  /** Passes on output that a guest reports for a call. The arguments are untrusted. */
  hear(call: unknown, text: unknown, progress?: unknown): void;
}

export function makeOutputs(): Outputs {
  const open = new Map<unknown, Listeners & { left: number }>();
  return {
    open: (call, listeners) => open.set(call, { ...listeners, left: GUEST_LIMITS.maxOutputText }),
    close: (call) => open.delete(call),
    hear: (call, text, reported) => {
      const output = open.get(call);
      if (output === undefined || typeof text !== 'string' || text === '') return;
      // guard: call-output-cap
      const shown = text.slice(0, output.left);
      output.left -= shown.length;
      if (shown === '') return;
      const progress = output.onProgress && readProgress(reported);
      try {
        if (progress === undefined) output.onOutput?.(shown);
        else output.onProgress?.(progress);
      } catch {
        // A listener that throws must not end a call.
      }
    },
  };
}

/** Reads a guest's report. `undefined`: it has no valid progress. */
function readProgress(reported: unknown): CallProgress | undefined {
  const { progress, total, message } = isRecord(reported) ? reported : {};
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message: message.slice(0, MAX_MESSAGE) } : {}),
  };
}

/** Characters of the message of a report. */
const MAX_MESSAGE = 4_000;

/** A running hook. */
export interface RunningHook {
  readonly hook: string;
  /** Absent if the hook does not belong to a conversation. */
  readonly conversationId?: string;
  /** Whether the hook's context has `broadcast`. */
  readonly broadcasts: boolean;
}

/** The running hooks of one entry, by the ids that its guest uses. */
export interface RunningHooks {
  begin(running: RunningHook): number;
  end(run: number): void;
  /** Emits an event for a hook's broadcast. `run` and `detail` are untrusted. */
  broadcast(run: unknown, detail: unknown): void;
}

/**
 * The host determines the plugin, the hook and the conversation of a broadcast. The guest only
 * names one of its running hooks.
 */
export function makeRunningHooks(plugin: string, events: EventBus): RunningHooks {
  const running = new Map<unknown, RunningHook>();
  let lastRun = 0;
  return {
    begin: (hook) => {
      lastRun += 1;
      running.set(lastRun, hook);
      return lastRun;
    },
    end: (run) => {
      running.delete(run);
    },
    broadcast: (run, detail) => {
      const from = running.get(run);
      // guard: broadcast-hook-running
      if (from?.broadcasts !== true || !isParsed(detail)) return;
      const { hook, conversationId } = from;
      events.emit({
        type: 'hook-broadcast',
        plugin,
        hook,
        ...(conversationId === undefined ? {} : { conversationId }),
        detail: JSON.stringify(detail).length > BROADCAST_BYTES ? TOO_LARGE : detail,
      });
    },
  };
}

/** An honest guest sends the same value for a detail that is too large. */
const TOO_LARGE = { unserializableDetail: true };

/** Values from the wire are JSON, or `undefined` if they were left out. */
function isParsed(detail: unknown): detail is Json {
  return detail !== undefined;
}

/**
 * Removes an item from a list that changes with every call. Such lists are arrays: a `Set` or `Map`
 * with a high turnover retains its outgrown tables until a full garbage collection.
 */
export function leave<One>(list: One[], one: One): void {
  const at = list.indexOf(one);
  if (at !== -1) list.splice(at, 1);
}
