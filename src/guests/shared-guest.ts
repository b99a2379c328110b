import { makePiece, makePieceReader, NOTHING } from '../../sandbox/wire/tenants.js';
import type { Command } from './command.js';
import type { GuestEnd } from './end.js';
import { type Guest, readyWithin } from './guest.js';
import { startGuestProcess } from './guest-process.js';
import { makeTenant, type Tenant } from './tenant.js';

/**
 * One sandbox process for the plugins of one trust group: a compartment and a wire for each.
 *
 * ```
 *   plugin a ── wire 1 ─┐                 ┌─ compartment 1
 *   plugin b ── wire 2 ─┼──── one pipe ───┼─ compartment 2
 *   plugin c ── wire 3 ─┘                 └─ compartment 3
 * ```
 *
 * What its tenants share is a process: when one of them is stopped by force, all are.
 */
export interface SharedGuest {
  /** The process as one guest, for whoever watches and counts processes. */
  readonly whole: GuestLife;
  /**
   * Whether it gets nothing new: a call was given up that has not settled yet, so that the process
   * may be in a loop, or another plugin needs its place.
   */
  readonly inDoubt: boolean;
  /** Room for one more plugin: blank, and nobody's yet. */
  open(): Guest;
}

/** A guest as those see it who look after processes: nobody asks it anything. */
export interface GuestLife extends Pick<
  Guest,
  | 'pid'
  | 'ended'
  | 'alive'
  | 'makingWay'
  | 'makeWay'
  | 'asked'
  | 'calls'
  | 'rest'
  | 'onWake'
  | 'kill'
> {
  readonly peer: Pick<Guest['peer'], 'openRequests'>;
}

const EVICTED: GuestEnd = {
  cause: 'replaced',
  detail: 'another plugin of its trust group had to be stopped, and they shared a process',
};

export function startSharedGuest(command: Command, startTimeoutMs: number): SharedGuest {
  const tenants = new Map<number, Tenant>();
  let opened = 0;
  const doubts = new Set<Promise<unknown>>();
  let asked = 0;
  let calls = 0;
  let resting = false;
  let makingWay = false;
  let woken: () => void = () => {};

  const holder = startGuestProcess({
    command,
    receive: makePieceReader({
      bytes: (number, bytes) => {
        if (number < 1 || number > opened) accuse(`it spoke for a plugin that it does not hold`);
        // What one still says that was let go is for nobody.
        else tenants.get(number)?.receive(bytes);
      },
      turn: () => accuse('it spoke as only its host may'),
    }),
    onEnd: (end) => {
      const all = [...tenants.values()];
      const blamed = blame(all);
      for (const tenant of all) tenant.end(blamed.has(tenant) ? (tenant.forced ?? end) : EVICTED);
    },
  });
  const accuse = (detail: string): void =>
    holder.kill({ cause: 'protocol', detail: `it broke the protocol: ${detail}` });

  const wake = (): void => {
    if (!resting) return;
    resting = false;
    holder.go();
    woken();
  };

  const open = (): Guest => {
    opened += 1;
    const number = opened;
    const write = (bytes: Uint8Array): void =>
      holder.write(makePiece(number, bytes, (length) => Buffer.allocUnsafe(length)));
    const tenant = makeTenant({
      write,
      beforeRequest: (method) => {
        if (method !== 'describe') asked += 1;
        if (method === 'call' || method === 'hook') calls += 1;
        wake();
      },
      realm: holder,
      pid: () => holder.pid,
      ready: (said, ended) => readyWithin(startTimeoutMs, said, holder, ended),
      stopAll: holder.kill,
      inDoubt: () => makingWay || doubts.size > 0,
      doubt: (settled) => {
        doubts.add(settled);
        void settled.then(() => doubts.delete(settled));
      },
      letGo: () => {
        tenants.delete(number);
        if (holder.end === undefined) write(NOTHING);
      },
    });
    tenants.set(number, tenant);
    wake();
    write(NOTHING);
    return tenant.guest;
  };

  return {
    open,
    get inDoubt() {
      return makingWay || doubts.size > 0;
    },
    whole: {
      get pid() {
        return holder.pid;
      },
      ended: holder.ended,
      get alive() {
        return holder.end === undefined;
      },
      get makingWay() {
        return makingWay;
      },
      makeWay: () => {
        makingWay = true;
      },
      get asked() {
        return asked;
      },
      get calls() {
        return calls;
      },
      peer: {
        get openRequests() {
          return [...tenants.values()].reduce((sum, { openRequests }) => sum + openRequests, 0);
        },
      },
      rest: () => {
        if (holder.end !== undefined) return;
        resting = true;
        holder.stop();
      },
      onWake: (listener) => {
        woken = listener;
      },
      kill: holder.kill,
    },
  };
}

/**
 * Whose doing the end of the process may be: of those that had to be stopped; where nobody stopped
 * it, of those that somebody waited for; and where nobody waited, of any.
 */
function blame(tenants: readonly Tenant[]): ReadonlySet<Tenant> {
  const forced = tenants.filter((tenant) => tenant.forced !== undefined);
  if (forced.length > 0) return new Set(forced);
  const busy = tenants.filter(({ openRequests }) => openRequests > 0);
  return new Set(busy.length > 0 ? busy : tenants);
}
