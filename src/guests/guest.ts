import type { Peer } from '../../sandbox/wire/peer.js';
import type { Service } from '../../sandbox/wire/service.js';
import { BulkheadError, messageOf } from '../errors.js';
import type { Command } from './walls/machine.js';
import { type GuestEnd, GuestEnded } from './end.js';
import { type GuestProcess, startGuestProcess } from './guest-process.js';
import type { HostWaits } from './host-waits.js';
import { type InspectorSpec, relayInspector } from './inspector.js';
import { makeGuestWire } from './guest-wire.js';
import { makeLiveness } from './liveness.js';

/** One sandbox process. It is single use: a plugin that was loaded stays. */
export interface Guest {
  /** The process that holds the plugin; before `ready`, the process that wraps it. */
  readonly pid: number;
  /** The first process of its group. It is the same for the guest's life: events name it. */
  readonly leader: number;
  /** Identifies the realm, which plugins of one trust group may share. */
  readonly realm: object;
  readonly peer: Peer;
  /**
   * Resolves when the guest is locked down, with its report about itself. Rejects
   * `GUEST_START_FAILED`.
   */
  readonly ready: Promise<unknown>;
  /** Resolves when the process has exited. Never rejects. */
  readonly ended: Promise<GuestEnd>;
  readonly alive: boolean;
  /** Whether another plugin needs its slot, so that it gets no new requests. */
  readonly draining: boolean;
  /** Sends it no new requests from now on. */
  drain(): void;
  /**
   * The running check of whether its process answers. New requests wait for it. `undefined` if no
   * check runs.
   */
  readonly checking: Promise<void> | undefined;
  /**
   * Checks that its process answers within `graceMs`, and else kills it: its code is in a loop.
   * Resolves when it has answered or was killed.
   */
  check(graceMs: number, detail: string): Promise<void>;
  /** Requests so far, without `describe`; and how many of them were calls. */
  readonly requestCount: number;
  readonly callCount: number;
  /** Its requests that the host has not answered yet. */
  readonly hostWaits: HostWaits;
  /** It says that it ends itself in a moment. False in a guest that other plugins are in, too. */
  readonly ending: boolean;
  /** Asks it to collect its garbage. It does not answer. */
  collectGarbage(): void;
  /** Stops the process (SIGSTOP). The next request resumes it. It can be killed meanwhile. */
  suspend(): void;
  /** Calls `listener` each time that a request has resumed it. */
  onResume(listener: () => void): void;
  /** Sets the service for the guest's requests, once its plugin is known. */
  serve(service: Service): void;
  /** Kills it. Open requests reject with `GuestEnded`. */
  kill(end: GuestEnd): void;
}

export interface GuestWatchers {
  readonly tap?: WireTap;
  /** The guest waits for a debugger before its first message. Its command has to fit. */
  readonly inspector?: InspectorSpec;
}

/** Starts a standby guest: locked down, without a plugin. */
export function startGuest(
  command: Command,
  startTimeoutMs: number,
  { tap, inspector }: GuestWatchers = {},
): Guest {
  let suspended = false;
  let draining = false;
  let ending = false;
  /** What a guest gets when its debugger lets it run. */
  let held: Uint8Array[] | undefined = inspector === undefined ? undefined : [];
  let syncRequests = 0;
  let onResumed: () => void = () => {};
  const wire = makeGuestWire({
    write: (bytes) => {
      tap?.toGuest(bytes);
      if (held === undefined) guestProcess.write(bytes);
      else held.push(bytes.slice());
    },
    kill: (end) => guestProcess.kill(end),
    beforeRequest: () => resume(),
    resume: () => resume(),
    onEnding: () => {
      ending = true;
      // It may have been suspended since it sent this.
      resume();
    },
  });
  const resume = (): void => {
    if (!suspended) return;
    suspended = false;
    guestProcess.resume();
    onResumed();
  };
  const guestProcess = startGuestProcess({
    command,
    receive: (bytes) => {
      if (tap?.fromGuest(bytes) ?? true) wire.peer.receive(bytes);
    },
    serveSync: async (_by, ...request) => {
      syncRequests += 1;
      try {
        return await wire.requestNow(...request);
      } finally {
        syncRequests -= 1;
      }
    },
    onEnd: (end) => wire.peer.close(new GuestEnded(end)),
  });

  tap?.open(guestProcess.write);
  if (inspector !== undefined && guestProcess.inspector !== undefined) {
    const relay = relayInspector(inspector, guestProcess.inspector);
    relay.released.then(
      () => {
        for (const bytes of held ?? []) guestProcess.write(bytes);
        held = undefined;
      },
      (error: unknown) => guestProcess.kill({ cause: 'start', detail: messageOf(error) }),
    );
    void guestProcess.ended.then(relay.close);
  }
  const liveness = makeLiveness({
    pid: () => guestProcess.pid,
    isBlocked: () => syncRequests > 0,
  });

  return {
    get pid() {
      return guestProcess.pid;
    },
    leader: guestProcess.leader,
    realm: guestProcess,
    peer: wire.peer,
    ready: readyWithin(startTimeoutMs, wire.ready, guestProcess, guestProcess.ended),
    ended: guestProcess.ended,
    get alive() {
      return guestProcess.end === undefined && !guestProcess.hasExited;
    },
    get draining() {
      return draining;
    },
    drain: () => {
      draining = true;
    },
    get checking() {
      return liveness.checking;
    },
    check: (graceMs, detail) =>
      liveness.check({ peer: wire.peer, kill: guestProcess.kill, graceMs, detail }),
    get requestCount() {
      return wire.requestCount;
    },
    get callCount() {
      return wire.callCount;
    },
    hostWaits: wire.hostWaits,
    get ending() {
      return ending;
    },
    collectGarbage: () => wire.peer.notify('collect', null),
    suspend: () => {
      if (guestProcess.end !== undefined) return;
      suspended = true;
      guestProcess.suspend();
    },
    onResume: (listener) => {
      onResumed = listener;
    },
    serve: wire.serve,
    kill: guestProcess.kill,
  };
}

/**
 * Rejects `GUEST_START_FAILED` if the guest ends before it is ready. Kills the process if that takes
 * longer than `timeoutMs`.
 */
export function readyWithin(
  timeoutMs: number,
  ready: Promise<unknown>,
  guestProcess: Omit<GuestProcess, 'ended'>,
  ended: Promise<GuestEnd>,
): Promise<unknown> {
  const started = new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => {
      guestProcess.kill({ cause: 'start', detail: `it was not ready after ${timeoutMs} ms` });
    }, timeoutMs);
    void ready.then((report) => {
      clearTimeout(timer);
      // No plugin code has run yet, so that the innermost process is the guest.
      guestProcess.confirmReady();
      resolve(report);
    });
    void ended.then(({ detail }) => {
      clearTimeout(timer);
      reject(
        new BulkheadError('GUEST_START_FAILED', `A guest process could not be started: ${detail}`, {
          reason: `${detail} ${guestProcess.stderrTail()}`.trim(),
        }),
      );
    });
  });
  // The owner of the guest awaits this. A guest without an owner must not end the host.
  started.catch(() => {});
  return started;
}

/** A tap between a guest and its peer. It sees all messages. */
export interface WireTap {
  /** Provides a way to write to the guest, past the peer. */
  open(say: (bytes: Uint8Array) => void): void;
  /** The peer sent these bytes to the guest. */
  toGuest(bytes: Uint8Array): void;
  /** The guest sent these bytes. Answers whether the peer receives them, too. */
  fromGuest(bytes: Uint8Array): boolean;
}
