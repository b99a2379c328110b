import type { Peer } from '../../sandbox/wire/peer.js';
import type { Service } from '../../sandbox/wire/service.js';
import { BulkheadError } from '../errors.js';
import type { Command } from './command.js';
import { type GuestEnd, GuestEnded } from './end.js';
import { type GuestProcess, startGuestProcess } from './guest-process.js';
import { makeGuestWire } from './guest-wire.js';
import type { Line } from './line.js';

/** One sandbox process, from the host's side. It is single use: what was loaded into it stays. */
export interface Guest {
  /** Of the process that holds the plugin, once it is ready; of what it is wrapped in before. */
  readonly pid: number;
  /** Names its realm, which plugins of one trust group may share. */
  readonly realm: object;
  readonly peer: Peer;
  /**
   * Resolves when the guest is locked down and waiting, with what it says of itself; rejects
   * `GUEST_START_FAILED`.
   */
  readonly ready: Promise<unknown>;
  /** Resolves once the process is gone. Never rejects. */
  readonly ended: Promise<GuestEnd>;
  readonly alive: boolean;
  /**
   * Whether it gets nothing new: its process may be busy with what another plugin was told to stop,
   * or it makes way.
   */
  readonly inDoubt: boolean;
  /** Whether another plugin needs its place. */
  readonly makingWay: boolean;
  /** Gets nothing new from now on. */
  makeWay(): void;
  /** A call was given up: what shares its process is in doubt until that has settled. */
  doubt(settled: Promise<unknown>): void;
  /** Requests that it was asked so far, and how many of them were calls. */
  readonly asked: number;
  readonly calls: number;
  /** Stops the process where it is. The next request continues it; it can be killed meanwhile. */
  rest(): void;
  /** Calls `listener` each time that a request has continued it. */
  onWake(listener: () => void): void;
  /** Says who answers what the guest asks, once it is known whose guest this is. */
  serve(service: Service): void;
  /** Ends it at once. Requests under way reject with `GuestEnded`. */
  kill(end: GuestEnd): void;
}

/** Starts a guest holder. It is blank: locked down, and no plugin's yet. */
export function startGuest(command: Command, startTimeoutMs: number, line?: Line): Guest {
  let resting = false;
  let makingWay = false;
  let woken: () => void = () => {};
  const wire = makeGuestWire({
    write: (bytes) => {
      line?.said(bytes);
      holder.write(bytes);
    },
    kill: (end) => holder.kill(end),
    beforeRequest: () => {
      if (!resting) return;
      resting = false;
      holder.go();
      woken();
    },
  });
  const holder = startGuestProcess({
    command,
    receive: (bytes) => {
      if (line?.heard(bytes) ?? true) wire.peer.receive(bytes);
    },
    onEnd: (end) => wire.peer.close(new GuestEnded(end)),
  });

  line?.open(holder.write);

  return {
    get pid() {
      return holder.pid;
    },
    realm: holder,
    peer: wire.peer,
    ready: readyWithin(startTimeoutMs, wire.ready, holder, holder.ended),
    ended: holder.ended,
    get alive() {
      return holder.end === undefined;
    },
    // It has no neighbours.
    get inDoubt() {
      return makingWay;
    },
    get makingWay() {
      return makingWay;
    },
    makeWay: () => {
      makingWay = true;
    },
    doubt: () => {},
    get asked() {
      return wire.asked;
    },
    get calls() {
      return wire.calls;
    },
    rest: () => {
      if (holder.end !== undefined) return;
      resting = true;
      holder.stop();
    },
    onWake: (listener) => {
      woken = listener;
    },
    serve: wire.serve,
    kill: holder.kill,
  };
}

/**
 * Rejects `GUEST_START_FAILED` where what is waited for (`ended`) ends before it is ready; where it
 * takes longer, its process is ended.
 */
export function readyWithin(
  timeoutMs: number,
  said: Promise<unknown>,
  holder: Omit<GuestProcess, 'ended'>,
  ended: Promise<GuestEnd>,
): Promise<unknown> {
  const ready = new Promise<unknown>((resolve, reject) => {
    const timer = setTimeout(() => {
      holder.kill({ cause: 'start', detail: `it was not ready after ${timeoutMs} ms` });
    }, timeoutMs);
    void said.then((report) => {
      clearTimeout(timer);
      // Nothing of a plugin's has run yet: whoever is there now is the guest or waits for it.
      holder.settle();
      resolve(report);
    });
    void ended.then(({ detail }) => {
      clearTimeout(timer);
      reject(
        new BulkheadError('GUEST_START_FAILED', `A guest process could not be started: ${detail}`, {
          reason: `${detail} ${holder.lastWords()}`.trim(),
        }),
      );
    });
  });
  // Whoever takes the guest awaits this; one that nobody takes must not end the host.
  ready.catch(() => {});
  return ready;
}
