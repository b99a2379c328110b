import type { Peer } from '../../sandbox/wire/peer.js';

/** A guest's requests that its host has not answered yet. */
export interface HostWaits {
  readonly open: number;
  /** Those that wait for a person's answer. */
  readonly forPerson: number;
  /** Those that the host has answered so far. */
  readonly answered: number;
}

/** `HostWaits` of one plugin in a guest, for the code that changes it. */
export interface HostWaitCounter extends HostWaits {
  began(): void;
  ended(): void;
}

const counters = new WeakMap<
  Pick<Peer, 'openRequests'>,
  { forPerson: number; readonly resume: () => void }
>();

/** `resume` is called when a person has answered: the guest may be suspended. */
export function countHostWaits(
  peer: Pick<Peer, 'openRequests'>,
  resume: () => void,
): HostWaitCounter {
  const counter = { forPerson: 0, resume };
  counters.set(peer, counter);
  let open = 0;
  let answered = 0;
  return {
    get open() {
      return open;
    },
    get forPerson() {
      return counter.forPerson;
    },
    get answered() {
      return answered;
    },
    began: () => {
      open += 1;
    },
    ended: () => {
      open -= 1;
      answered += 1;
    },
  };
}

/** A request of this guest waits for a person until the returned function is called. */
export function waitForPerson(peer: Pick<Peer, 'openRequests'>): () => void {
  const counter = counters.get(peer);
  if (counter === undefined) return () => {};
  counter.forPerson += 1;
  return () => {
    counter.forPerson -= 1;
    counter.resume();
  };
}
