import { type GuestEnd, GuestEnded } from './end.js';
import type { Guest } from './guest.js';
import { makeGuestWire } from './guest-wire.js';

/** One plugin's share of a guest, which looks like a guest of its own. */
export interface Tenant {
  readonly guest: Guest;
  readonly openRequests: number;
  /** Why all had to be stopped, where it was for this one. */
  readonly forced: GuestEnd | undefined;
  receive(bytes: Uint8Array): void;
  /** It is over: its requests reject. */
  end(end: GuestEnd): void;
}

export interface TenantSpec {
  readonly write: (bytes: Uint8Array) => void;
  readonly beforeRequest: (method: string) => void;
  readonly realm: object;
  readonly pid: () => number;
  /** Bounds how long it may take until the guest says that the tenant can be loaded, or it is over. */
  readonly ready: (said: Promise<unknown>, ended: Promise<GuestEnd>) => Promise<unknown>;
  /** Ends the process. */
  readonly stopAll: (end: GuestEnd) => void;
  /** Whether a call of any tenant was given up that has not settled yet, and how to say so. */
  readonly inDoubt: () => boolean;
  readonly doubt: (settled: Promise<unknown>) => void;
  /** Tells the guest to let go of this tenant. */
  readonly letGo: () => void;
}

/** Ends that need no force: nobody waits for it, and what it held is taken back. */
const PEACEFUL: ReadonlySet<GuestEnd['cause']> = new Set(['closed', 'idle', 'replaced']);

export function makeTenant(spec: TenantSpec): Tenant {
  let over: GuestEnd | undefined;
  let forced: GuestEnd | undefined;
  let resolveEnded: (end: GuestEnd) => void = () => {};
  const ended = new Promise<GuestEnd>((resolve) => {
    resolveEnded = resolve;
  });

  const kill = (end: GuestEnd): void => {
    if (over !== undefined || forced !== undefined) return;
    if (PEACEFUL.has(end.cause) && wire.peer.openRequests === 0) {
      conclude(end);
      spec.letGo();
      return;
    }
    // It may be in a loop that no message reaches.
    forced = end;
    spec.stopAll(end);
  };
  const conclude = (end: GuestEnd): void => {
    if (over !== undefined) return;
    over = end;
    wire.peer.close(new GuestEnded(end));
    resolveEnded(end);
  };
  const wire = makeGuestWire({ write: spec.write, kill, beforeRequest: spec.beforeRequest });

  return {
    guest: {
      get pid() {
        return spec.pid();
      },
      realm: spec.realm,
      peer: wire.peer,
      ready: spec.ready(wire.ready, ended),
      ended,
      get alive() {
        return over === undefined && forced === undefined;
      },
      get inDoubt() {
        return spec.inDoubt();
      },
      // Its process makes way, with all of its tenants.
      makingWay: false,
      makeWay: () => {},
      doubt: spec.doubt,
      get asked() {
        return wire.asked;
      },
      get calls() {
        return wire.calls;
      },
      // Its process rests when all of its tenants do: see whoever watches that.
      rest: () => {},
      onWake: () => {},
      serve: wire.serve,
      kill,
    },
    get openRequests() {
      return wire.peer.openRequests;
    },
    get forced() {
      return forced;
    },
    receive: wire.peer.receive,
    end: conclude,
  };
}
