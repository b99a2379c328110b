import { makePiece, makePieceReader, NOTHING } from '../../sandbox/wire/co-residents.js';
import type { Command } from './walls/machine.js';
import { type GuestEnd, GuestEnded } from './end.js';
import { type Guest, readyWithin } from './guest.js';
import { startGuestProcess } from './guest-process.js';
import { type GuestWire, makeGuestWire } from './guest-wire.js';
import { type Liveness, makeLiveness } from './liveness.js';

/**
 * One sandbox process for the plugins of one trust group: a compartment and a wire for each.
 *
 * ```
 *   plugin a ── wire 1 ─┐                 ┌─ compartment 1
 *   plugin b ── wire 2 ─┼──── one pipe ───┼─ compartment 2
 *   plugin c ── wire 3 ─┘                 └─ compartment 3
 * ```
 *
 * Co-residents share a process: if one is stopped by force, all are.
 */
export interface SharedGuest {
  /** The process as one guest, for code that watches and counts processes. */
  readonly handle: GuestHandle;
  /** The running check of whether the process answers. `undefined` if no check runs. */
  readonly checking: Promise<void> | undefined;
  /** Makes room for one more plugin. */
  open(): Guest;
}

/** A guest for code that watches and counts processes. It cannot send requests. */
export interface GuestHandle extends Pick<
  Guest,
  | 'pid'
  | 'ended'
  | 'alive'
  | 'draining'
  | 'drain'
  | 'requestCount'
  | 'callCount'
  | 'hostWaits'
  | 'ending'
  | 'collectGarbage'
  | 'suspend'
  | 'onResume'
  | 'kill'
> {
  readonly peer: Pick<Guest['peer'], 'openRequests'>;
}

const SIDE_EFFECT_END: GuestEnd = {
  cause: 'replaced',
  detail: 'another plugin of its trust group had to be stopped, and they shared a process',
};

export function startSharedGuest(command: Command, startTimeoutMs: number): SharedGuest {
  const coResidents = new Map<number, CoResident>();
  let opened = 0;
  let requestCount = 0;
  let callCount = 0;
  let suspended = false;
  let draining = false;
  let syncRequests = 0;
  let onResumed: () => void = () => {};

  const guestProcess = startGuestProcess({
    command,
    receive: makePieceReader({
      bytes: (number, bytes) => {
        // guard: shared-plugin-number-checked
        if (number < 1 || number > opened)
          reportViolation(`it sent bytes for a plugin that it does not hold`);
        // A co-resident that was unloaded may still send: the bytes are dropped.
        else coResidents.get(number)?.receive(bytes);
      },
      empty: () => reportViolation('it sent an empty piece, which only its host may'),
    }),
    serveSync: async (number, ...request) => {
      const coResident = coResidents.get(number);
      if (coResident === undefined) throw new Error('the plugin was unloaded');
      syncRequests += 1;
      try {
        return await coResident.requestNow(...request);
      } finally {
        syncRequests -= 1;
      }
    },
    onEnd: (end) => {
      const all = [...coResidents.values()];
      const blamed = blame(all);
      // A plugin that leaks or crashes may have no open request: what ended the process by itself may
      // have been any of them.
      const own =
        end.cause === 'closed' || all.length === 1 ? end : { ...end, ambiguous: true as const };
      for (const coResident of all)
        coResident.end(blamed.has(coResident) ? (coResident.forced ?? own) : SIDE_EFFECT_END);
    },
  });
  const liveness = makeLiveness({
    pid: () => guestProcess.pid,
    isBlocked: () => syncRequests > 0,
  });
  const reportViolation = (detail: string): void =>
    guestProcess.kill({ cause: 'protocol', detail: `it broke the protocol: ${detail}` });

  const resume = (): void => {
    if (!suspended) return;
    suspended = false;
    guestProcess.resume();
    onResumed();
  };

  const sum = (of: (coResident: CoResident) => number): number =>
    [...coResidents.values()].reduce((total, coResident) => total + of(coResident), 0);

  const open = (): Guest => {
    opened += 1;
    const number = opened;
    const write = (bytes: Uint8Array): void =>
      guestProcess.write(makePiece(number, bytes, (length) => Buffer.allocUnsafe(length)));
    const coResident = makeCoResident({
      write,
      resume,
      beforeRequest: (method) => {
        if (method !== 'describe') requestCount += 1;
        if (method === 'call' || method === 'hook') callCount += 1;
        resume();
      },
      realm: guestProcess,
      pid: () => guestProcess.pid,
      leader: guestProcess.leader,
      ready: (report, ended) => readyWithin(startTimeoutMs, report, guestProcess, ended),
      stopAll: guestProcess.kill,
      isDraining: () => draining,
      liveness,
      unload: () => {
        coResidents.delete(number);
        if (guestProcess.end === undefined) write(NOTHING);
      },
    });
    coResidents.set(number, coResident);
    resume();
    write(NOTHING);
    return coResident.guest;
  };

  return {
    open,
    get checking() {
      return liveness.checking;
    },
    handle: {
      get pid() {
        return guestProcess.pid;
      },
      ended: guestProcess.ended,
      get alive() {
        return guestProcess.end === undefined;
      },
      get draining() {
        return draining;
      },
      drain: () => {
        draining = true;
      },
      get requestCount() {
        return requestCount;
      },
      get callCount() {
        return callCount;
      },
      hostWaits: {
        get open() {
          return sum(({ guest }) => guest.hostWaits.open);
        },
        get forPerson() {
          return sum(({ guest }) => guest.hostWaits.forPerson);
        },
        get answered() {
          return sum(({ guest }) => guest.hostWaits.answered);
        },
      },
      peer: {
        get openRequests() {
          return sum(({ openRequests }) => openRequests);
        },
      },
      collectGarbage: () => {
        // They have one heap.
        const one = [...coResidents.values()].find(({ guest }) => guest.alive);
        one?.guest.peer.notify('collect', null);
      },
      suspend: () => {
        if (guestProcess.end !== undefined) return;
        suspended = true;
        guestProcess.suspend();
      },
      onResume: (listener) => {
        onResumed = listener;
      },
      ending: false,
      kill: guestProcess.kill,
    },
  };
}

/**
 * Which co-residents may have caused the end of the process: those that had to be stopped; if there
 * are none, those with open requests; else all.
 */
function blame(coResidents: readonly CoResident[]): ReadonlySet<CoResident> {
  const forced = coResidents.filter((coResident) => coResident.forced !== undefined);
  if (forced.length > 0) return new Set(forced);
  const busy = coResidents.filter(({ openRequests }) => openRequests > 0);
  return new Set(busy.length > 0 ? busy : coResidents);
}

/** One plugin's part of a shared guest, with the interface of a guest. */
export interface CoResident {
  readonly guest: Guest;
  readonly openRequests: number;
  /** Why the process had to be stopped for this plugin. */
  readonly forced: GuestEnd | undefined;
  receive(bytes: Uint8Array): void;
  /** Answers its synchronous request. */
  readonly requestNow: GuestWire['requestNow'];
  /** Ends it: its requests reject. */
  end(end: GuestEnd): void;
}

export interface CoResidentSpec {
  readonly write: (bytes: Uint8Array) => void;
  readonly beforeRequest: (method: string) => void;
  readonly resume: () => void;
  readonly realm: object;
  readonly pid: () => number;
  readonly leader: number;
  /** Limits the time until the guest reports that the plugin can be loaded. */
  readonly ready: (report: Promise<unknown>, ended: Promise<GuestEnd>) => Promise<unknown>;
  /** Kills the process. */
  readonly stopAll: (end: GuestEnd) => void;
  /** Whether another plugin needs the slot of the process. */
  readonly isDraining: () => boolean;
  /** Of the process that it shares. */
  readonly liveness: Liveness;
  /** Unloads this plugin from the guest. */
  readonly unload: () => void;
}

/**
 * Ends without force if there are no open requests: all endowments are revoked, and no code of the
 * plugin runs again. The same is true of a process that has just answered.
 */
const NEEDS_NO_FORCE: ReadonlySet<GuestEnd['cause']> = new Set(['closed', 'idle', 'replaced']);

export function makeCoResident(spec: CoResidentSpec): CoResident {
  let concluded: GuestEnd | undefined;
  let forced: GuestEnd | undefined;
  let resolveEnded: (end: GuestEnd) => void = () => {};
  const ended = new Promise<GuestEnd>((resolve) => {
    resolveEnded = resolve;
  });

  const kill = (end: GuestEnd): void => {
    if (concluded !== undefined || forced !== undefined) return;
    const isIdle = NEEDS_NO_FORCE.has(end.cause) && wire.peer.openRequests === 0;
    if (isIdle || end.responsive === true) {
      conclude(end);
      spec.unload();
      return;
    }
    // The guest may be in a loop that no message reaches.
    forced = end;
    spec.stopAll(end);
  };
  const conclude = (end: GuestEnd): void => {
    if (concluded !== undefined) return;
    concluded = end;
    wire.peer.close(new GuestEnded(end));
    resolveEnded(end);
  };
  const { write, beforeRequest, resume } = spec;
  const wire = makeGuestWire({ write, kill, beforeRequest, resume });

  return {
    guest: {
      get pid() {
        return spec.pid();
      },
      leader: spec.leader,
      realm: spec.realm,
      peer: wire.peer,
      ready: spec.ready(wire.ready, ended),
      ended,
      get alive() {
        return concluded === undefined && forced === undefined;
      },
      // Its process is drained as a whole.
      get draining() {
        return spec.isDraining();
      },
      drain: () => {},
      get checking() {
        return spec.liveness.checking;
      },
      check: (graceMs, detail) => spec.liveness.check({ peer: wire.peer, kill, graceMs, detail }),
      get requestCount() {
        return wire.requestCount;
      },
      get callCount() {
        return wire.callCount;
      },
      hostWaits: wire.hostWaits,
      // Its process lives on for the others.
      ending: false,
      // Its process collects and is suspended as a whole, by its watch.
      collectGarbage: () => {},
      suspend: () => {},
      onResume: () => {},
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
    requestNow: wire.requestNow,
    end: conclude,
  };
}
