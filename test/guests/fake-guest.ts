import type { GuestEnd } from '../../src/guests/end.js';
import type { Guest } from '../../src/guests/guest.js';

export interface FakeGuest extends Guest {
  readonly killed: GuestEnd[];
  alive: boolean;
  asked: number;
  calls: number;
  makingWay: boolean;
  resting: boolean;
  /** Requests that it has not answered. */
  open: number;
  /** Its process is gone. */
  readonly die: () => void;
  /** As a call would. */
  readonly ask: () => void;
}

/** A guest without a process, whose every state is set by hand. */
export function fakeGuest(pid = 1): FakeGuest {
  let die: (end: GuestEnd) => void = () => {};
  let woken = (): void => {};
  const ended = new Promise<GuestEnd>((resolve) => {
    die = resolve;
  });
  const guest = {
    pid,
    ended,
    killed: [] as GuestEnd[],
    alive: true,
    asked: 0,
    calls: 0,
    makingWay: false,
    makeWay: () => {
      guest.makingWay = true;
    },
    resting: false,
    open: 0,
    peer: {
      get openRequests() {
        return guest.open;
      },
    },
    die: () => die({ cause: 'crash', detail: '' }),
    kill: (end: GuestEnd) => {
      guest.alive = false;
      guest.killed.push(end);
    },
    rest: () => {
      guest.resting = true;
    },
    onWake: (listener: () => void) => {
      woken = listener;
    },
    ask: () => {
      guest.asked += 1;
      guest.calls += 1;
      guest.open += 1;
      if (guest.resting) {
        guest.resting = false;
        woken();
      }
    },
  };
  return guest as unknown as FakeGuest;
}
