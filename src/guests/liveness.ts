import type { Peer } from '../../sandbox/wire/peer.js';
import type { GuestEnd } from './end.js';
import { startLoadDeadline } from './load-deadline.js';

/** Checks whether a process of guests answers, or is in a loop. */
export interface Liveness {
  /** The running check. `undefined` if no check runs. */
  readonly checking: Promise<void> | undefined;
  /**
   * Pings the process. Resolves when it has answered. If it does not answer within `graceMs`, calls
   * `kill`. Time in which a busy machine does not schedule the process does not count, and neither
   * does time in which it waits for a synchronous answer of its host.
   */
  check(ping: Ping): Promise<void>;
}

export interface Ping {
  readonly peer: Pick<Peer, 'ask'>;
  readonly kill: (end: GuestEnd) => void;
  readonly graceMs: number;
  /** Why the process is killed, as the end of a sentence. */
  readonly detail: string;
}

/** How often the grace starts again for a process that waits for a synchronous answer. */
const MAX_WAITS = 20;

export interface LivenessSpec {
  readonly pid: () => number;
  /** Whether the host has not answered a synchronous request of the process. */
  readonly isBlocked: () => boolean;
}

export function makeLiveness({ pid, isBlocked }: LivenessSpec): Liveness {
  let checking: Promise<void> | undefined;
  return {
    get checking() {
      return checking;
    },
    check: ({ peer, kill, graceMs, detail }) => {
      let waits = 0;
      let wasBlocked = isBlocked();
      const start = (): (() => void) =>
        // guard: unresponsive-guest-killed
        startLoadDeadline({ pid: pid() }, graceMs, () => {
          const mayAnswerYet = wasBlocked || isBlocked();
          wasBlocked = isBlocked();
          if (!mayAnswerYet || waits === MAX_WAITS) return kill({ cause: 'deadline', detail });
          waits += 1;
          cancelDeadline = start();
        });
      let cancelDeadline = start();
      // A guest that has ended rejects the ping. Its end is reported elsewhere.
      const answered = peer.ask('ping', null).answer.then(NOTHING, NOTHING);
      const own = answered.then(() => {
        cancelDeadline();
        // Pings are answered in order, so the last check is the last to end.
        if (checking === own) checking = undefined;
      });
      checking = own;
      return own;
    },
  };
}

const NOTHING = (): void => {};
