import type { GuestEnd } from '../../src/guests/end.js';
import type { Guest } from '../../src/guests/guest.js';

export interface FakeGuest extends Guest {
  readonly hostWaits: { open: number; forPerson: number; answered: number };
  readonly killed: GuestEnd[];
  alive: boolean;
  requestCount: number;
  callCount: number;
  draining: boolean;
  ending: boolean;
  suspended: boolean;
  /** How often it was asked to collect its garbage. */
  collections: number;
  /** Requests that it has not answered. */
  open: number;
  checking: Promise<void> | undefined;
  /** Resolves the waits for its last live request. */
  readonly becomeIdle: () => void;
  /** Its process is gone. */
  readonly die: () => void;
  /** As a call would. */
  readonly ask: () => void;
}

/** A guest without a process, whose every state is set by hand. */
export function fakeGuest(pid = 1): FakeGuest {
  let die: (end: GuestEnd) => void = () => {};
  let onResumed = (): void => {};
  const idleListeners: (() => void)[] = [];
  const ended = new Promise<GuestEnd>((resolve) => {
    die = resolve;
  });
  const guest = {
    pid,
    ended,
    killed: [] as GuestEnd[],
    alive: true,
    requestCount: 0,
    callCount: 0,
    draining: false,
    ending: false,
    drain: () => {
      guest.draining = true;
    },
    suspended: false,
    collections: 0,
    collectGarbage: () => {
      guest.collections += 1;
    },
    open: 0,
    hostWaits: { open: 0, forPerson: 0, answered: 0 },
    peer: {
      whenIdle: () => {
        if (guest.open === 0) return Promise.resolve();
        return new Promise<void>((resolve) => idleListeners.push(resolve));
      },
      get openRequests() {
        return guest.open;
      },
      get liveRequests() {
        return guest.open;
      },
      get liveCalls() {
        return guest.open;
      },
    },
    checking: undefined as Promise<void> | undefined,
    becomeIdle: () => {
      for (const listener of idleListeners.splice(0)) listener();
    },
    check: () => Promise.resolve(),
    die: () => die({ cause: 'crash', detail: '' }),
    kill: (end: GuestEnd) => {
      guest.alive = false;
      guest.killed.push(end);
    },
    suspend: () => {
      guest.suspended = true;
    },
    onResume: (listener: () => void) => {
      onResumed = listener;
    },
    ask: () => {
      guest.requestCount += 1;
      guest.callCount += 1;
      guest.open += 1;
      if (guest.suspended) {
        guest.suspended = false;
        onResumed();
      }
    },
  };
  return guest as unknown as FakeGuest;
}
