import type { Json } from '../../../sandbox/wire/messages.js';
import type { GuestGrant } from '../../../sandbox/wire/methods.js';
import type { EventBus, GuestEndCause } from '../../events.js';
import { endError, type GuestEnd, unloadedError } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { type GuestPreparation, loadWithin } from './load-guest.js';
import { makeLoopers } from './loopers.js';
import { Replica, waitForTenant } from './replica.js';
import { sendGrant } from './send-grant.js';
import { makeSharedStart, type Wants } from './shared-start.js';
import { type GivenUp, makeUnsettled, type Unsettled } from './unsettled.js';
import { isDoneWithin } from '../../waiting.js';

/**
 * Starts, loads, replaces and ends an entry's guests, from the entry's first use on.
 *
 * ```
 *   take ──► loading ──► loaded ── begin ──► serving ──► ends
 *                                              │
 *                                              └──► drains: answers what is open, then ends
 * ```
 *
 * An entry has one serving guest, or up to `replicas` if its operator allows that.
 */
export interface GuestSupervisor {
  /** All live guests: the serving guests, and drained guests that finish their requests. */
  readonly all: ReadonlySet<Guest>;
  /** A serving guest that takes requests now. `undefined` if there is none, or if it is suspect. */
  readonly current: Guest | undefined;
  /** A loaded guest that lives, also if it has not begun or is just checked. `undefined` if there is none. */
  readonly loaded: Guest | undefined;
  /** All serving guests whose `begin` has run. */
  readonly serving: readonly Guest[];
  /** Milliseconds since the last guest was loaded. */
  readonly ageMs: number;
  /** The guest for a call of that tenant: `current`, or the replica with the fewest calls. */
  guestFor(tenant: string | undefined): Guest | undefined;
  /**
   * Returns a serving guest. If there is none, starts a guest and runs its `begin`. Rejects with the
   * reason. A start that waits for capacity is aborted when all of its callers have aborted.
   */
  acquire(wants?: Wants): Promise<Guest>;
  /** Returns a loaded guest, which may not have begun. Rejects with the reason. */
  load(): Promise<Guest>;
  /**
   * A request of the guest was given up: its caller has an answer. The guest is killed if it does not
   * answer a ping within the grace, or if it is stateless and has no other request after the grace.
   * After 16 unsettled requests, or one that is unsettled for `maxUnsettledMs`, it is drained.
   */
  giveUp(guest: Guest, givenUp: GivenUp): void;
  /** Sets the schemas of inputs for the current and all later guests. */
  setSchemas(schemas: Schemas): void;
  /**
   * Sends all guests their new grant. Resolves when all of them have applied it. If the grant was
   * `narrowed`, a guest that does not apply it in time is killed.
   */
  regrant(grant: GuestGrant, narrowed: boolean): Promise<void>;
  /** Drains the serving guests. The next `acquire` starts another guest. */
  replace(): void;
  /** Kills all guests. `stopped` decides about later ones. */
  halt(end: GuestEnd): void;
  /** Ends all guests permanently. Every later `acquire` rejects. */
  end(end: GuestEnd): void;
}

/** By tool. */
export type Schemas = readonly (readonly [tool: string, schema: Json])[];

export interface GuestSupervisorSpec {
  readonly subject: {
    readonly plugin: string;
    readonly entry: string;
    /** Hash of the bundle. */
    readonly bundle: string;
  };
  /** Resolves with a standby guest when there is capacity. */
  readonly take: (wants: Wants) => Promise<Guest>;
  /** Why no guest may start or serve now. */
  readonly stopped?: () => GuestEnd | undefined;
  readonly prepare: GuestPreparation;
  readonly limits: {
    readonly loadTimeoutMs: number;
    /** Time for a guest to answer a ping, and for a given-up request to settle. */
    readonly graceMs: number;
    readonly maxUnsettledMs: number;
    readonly maxWaitMs: number;
    /** Also the time for which a tenant whose call looped has a guest of its own. */
    readonly crashWindowMs: number;
  };
  /**
   * Whether its guests have state that a fresh guest does not have: it registers at run time, has
   * hooks, or works in the background. Such a guest is not killed because a request hangs.
   */
  readonly stateful: boolean;
  /** Most serving guests. Default: 1. */
  readonly replicas?: number | undefined;
  readonly events: EventBus;
  readonly listener?: {
    /** A guest has loaded. */
    loaded(): void;
    /** A serving guest has ended, or drains. */
    ended(cause: GuestEndCause): void;
  };
}

/**
 * How long a new call waits for a stateless guest whose only request was given up. Well-behaved tools
 * settle at once when they are aborted.
 */
const SETTLE_MS = 10;
/** Unsettled requests of one guest after which it is drained. */
const MAX_UNSETTLED = 16;

export function makeGuestSupervisor(spec: GuestSupervisorSpec): GuestSupervisor {
  const { subject, prepare, limits, events, listener, stateful, replicas = 1 } = spec;
  const { plugin } = subject;
  /** In the order of their starts. */
  let serving: readonly Replica[] = [];
  let schemas: Schemas | undefined;
  let loadedMs = 0;
  let over: GuestEnd | undefined;
  /** All live guests, including those that only finish their requests. */
  const guests = new Map<Guest, Replica>();
  const all = new Set<Guest>();
  const loopers = makeLoopers(limits.crashWindowMs);

  const sendSchemas = (guest: Guest): void => {
    if (schemas === undefined) return;
    // Not awaited: messages arrive in order, so the schemas precede every later call.
    prepare.validator.deliver(guest);
    guest.peer.ask('schemas', { schemas }).answer.catch(() => {});
  };

  const start = async (wants: Wants): Promise<void> => {
    const guest = await spec.take(wants);
    // The entry was closed or stopped while it waited for capacity.
    const halted = over ?? spec.stopped?.();
    if (halted !== undefined) guest.kill(halted);
    const replica = watch(guest);
    guest.serve(prepare.service(guest.peer));
    const began = performance.now();
    let sent: Schemas | undefined;
    await loadWithin(guest, {
      plugin,
      load: prepare.load,
      loadTimeoutMs: limits.loadTimeoutMs,
      onAsked: ({ tape }) => {
        // A recorded guest gets one message at a time.
        if (tape !== undefined) return;
        sent = schemas;
        sendSchemas(guest);
      },
    });
    // The schemas may have changed during the load.
    if (sent !== schemas) sendSchemas(guest);
    replica.ready = prepare.begin === undefined;
    replica.startedFor(wants.tenant);
    const before = serving.filter(({ isUsable }) => !isUsable);
    serving = [...serving, replica];
    loadedMs = performance.now();
    listener?.loaded();
    events.emit({ type: 'plugin-loaded', ...subject, durationMs: performance.now() - began });
    for (const one of before) replaceOne(one);
  };

  const replaceOne = (replica: Replica): void => {
    const detail = replica.unsettled?.detail ?? 'another guest replaced it';
    drain(replica, replica.isSuspect ? 'deadline' : 'replaced', detail);
    emitLoss('replaced', detail);
  };

  const watch = (guest: Guest): Replica => {
    const { leader: pid } = guest;
    const replica = new Replica(guest, stateful, stateful ? undefined : loopers);
    guests.set(guest, replica);
    all.add(guest);
    events.emit({ type: 'guest-started', plugin, pid });
    void guest.ended.then(({ cause, detail }) => {
      guests.delete(guest);
      all.delete(guest);
      const served = serving.includes(replica);
      serving = serving.filter((one) => one !== replica);
      events.emit({ type: 'guest-ended', plugin, pid, cause, detail });
      if (!served) return;
      emitLoss(cause, detail);
      listener?.ended(cause);
    });
    return replica;
  };

  const emitLoss = (cause: GuestEndCause, detail: string): void => {
    if (!stateful || KEEPS_STATE.has(cause)) return;
    events.emit({ type: 'state-lost', plugin, entry: subject.entry, cause, detail });
  };

  const choose = (tenant: string | undefined): Guest | undefined => {
    let best: Guest | undefined;
    for (const replica of serving) {
      if (!replica.takesRequests || !replica.admits(tenant) || replica.isFullFor(tenant)) continue;
      const { guest } = replica;
      // Requests of the engine itself, such as the schemas after the load, do not count.
      if (guest.peer.liveCalls === 0) return guest;
      if (best === undefined || guest.peer.liveCalls < best.peer.liveCalls) best = guest;
    }
    if (best !== undefined && serving.filter(({ isApart }) => !isApart).length < replicas) {
      grow(tenant);
    }
    return best;
  };

  const shared = makeSharedStart(start);
  let isGrowing = false;

  /** Starts one more replica if there is room. Until it serves, calls go to the others. */
  const grow = (tenant: string | undefined): void => {
    if (isGrowing || over !== undefined) return;
    isGrowing = true;
    start({ tenant, onlyIfFree: true })
      .then(() => Promise.all(serving.map((replica) => begin(replica))))
      // No room, or the plugin cannot start: the others serve.
      .catch(() => {})
      .finally(() => {
        isGrowing = false;
      });
  };

  const begin = (replica: Replica): Promise<void> => (replica.begun ??= beginOnce(replica));
  const beginOnce = async (replica: Replica): Promise<void> => {
    if (replica.ready) return;
    try {
      await prepare.begin?.(replica.guest);
      replica.ready = true;
    } catch (error) {
      serving = serving.filter((one) => one !== replica);
      replica.guest.kill({ cause: 'replaced', detail: 'its plugin could not begin' });
      throw error;
    }
  };

  /** Waits until one of the serving guests may take the request, or until another has to start. */
  const waitForOne = async (wants: Wants): Promise<'again' | 'start'> => {
    const trusted = serving.filter((one) => one.isTrusted && one.admits(wants.tenant));
    const checked = trusted.find(({ guest }) => guest.checking !== undefined);
    if (checked !== undefined) {
      await checked.guest.checking;
      return 'again';
    }
    const fresh = trusted.find(({ ready }) => !ready);
    if (fresh !== undefined) {
      await begin(fresh);
      return 'again';
    }
    const suspect = trusted.find(({ isSuspect }) => isSuspect);
    if (suspect !== undefined) {
      if (suspect.unsettled !== undefined) {
        await isDoneWithin(suspect.unsettled.whenSettled(), SETTLE_MS);
      }
      return suspect.isUsable ? 'again' : 'start';
    }
    const full = trusted.find((replica) => replica.isFullFor(wants.tenant));
    if (full?.unsettled === undefined || !stateful) return 'start';
    // Only one guest has the plugin's state, so the tenant waits for its own calls.
    await waitForTenant(full.unsettled, {
      plugin,
      maxWaitMs: limits.maxWaitMs,
      signal: wants.signal,
    });
    return 'again';
  };

  const requireAllowed = (): void => {
    if (over !== undefined) throw unloadedError(plugin, over);
    const halted = spec.stopped?.();
    // guard: stopped-plugin-gets-no-guest
    if (halted !== undefined) throw endError(plugin, halted);
  };

  const acquire = async (wants: Wants): Promise<Guest> => {
    for (;;) {
      requireAllowed();
      const { signal } = wants;
      if (signal?.aborted === true) throw signal.reason;
      const guest = choose(wants.tenant);
      if (guest !== undefined) return guest;
      if ((await waitForOne(wants)) === 'start') await shared.join(wants);
    }
  };

  const load = async (): Promise<Guest> => {
    for (;;) {
      requireAllowed();
      const loaded = serving.find(({ isUsable }) => isUsable);
      if (loaded !== undefined) return loaded.guest;
      await shared.join();
    }
  };

  /** Sends the guest no more requests, and ends it when it has answered those that are open. */
  const drain = (replica: Replica, cause: 'replaced' | 'deadline', detail: string): void => {
    if (replica.drains) return;
    replica.drains = true;
    serving = serving.filter((one) => one !== replica);
    void replica.guest.peer.whenIdle().then(() => {
      const { guest, unsettled } = replica;
      const responsive = unsettled !== undefined && unsettled.size > 0;
      guest.kill({ cause, detail, ...(responsive ? { responsive } : {}) });
    });
  };

  /** Drains a guest that does not settle its given-up requests. */
  const drainUnsettled = (replica: Replica, { detail }: GivenUp): void => {
    const { guest } = replica;
    if (replica.drains || !guest.alive) return;
    drain(replica, 'deadline', detail);
    void guest.check(limits.graceMs, detail);
    emitLoss('deadline', detail);
    listener?.ended('deadline');
  };

  /** Kills a stateless guest that has nothing to do but given-up requests. */
  const killIfUseless = (replica: Replica, detail: string): void => {
    const { guest, unsettled } = replica;
    if (stateful || replica.drains || !guest.alive || unsettled?.isLate !== true) return;
    if (guest.peer.liveRequests > 0) {
      void guest.peer.whenIdle().then(() => killIfUseless(replica, detail));
      return;
    }
    // guard: stateless-guest-killed-after-grace
    guest.kill({ cause: 'deadline', detail, responsive: true });
  };

  const unsettledOf = (replica: Replica): Unsettled =>
    (replica.unsettled ??= makeUnsettled({
      ...limits,
      onLate: ({ detail }) => killIfUseless(replica, detail),
      // guard: unsettled-guest-drained
      onOverdue: (givenUp) => drainUnsettled(replica, givenUp),
    }));

  return {
    all,
    get current() {
      return serving.find(({ takesRequests, isApart }) => takesRequests && !isApart)?.guest;
    },
    get loaded() {
      return serving.find(({ isUsable }) => isUsable)?.guest;
    },
    get serving() {
      return serving.flatMap(({ guest, ready }) => (ready && guest.alive ? [guest] : []));
    },
    get ageMs() {
      return performance.now() - loadedMs;
    },
    guestFor: choose,
    load,
    acquire: (wants = {}) => acquire(wants),
    giveUp: (guest, givenUp) => {
      const replica = guests.get(guest);
      if (replica === undefined || !guest.alive) return;
      const unsettled = unsettledOf(replica);
      unsettled.add(givenUp);
      replica.suspect(givenUp);
      void guest.check(limits.graceMs, givenUp.detail).then(() => {
        // It has ended, and not answered.
        if (!guest.alive) for (const { tenant } of replica.suspects) loopers.add(tenant);
      });
      // guard: unsettled-calls-per-guest
      if (unsettled.size >= MAX_UNSETTLED) drainUnsettled(replica, givenUp);
    },
    setSchemas: (next) => {
      schemas = next;
      for (const { guest } of serving) sendSchemas(guest);
    },
    regrant: async (grant, narrowed) => {
      const updated = [...guests.values()].flatMap(({ guest, drains }) => {
        if (!drains) return [sendGrant(guest, grant, narrowed)];
        if (narrowed) guest.kill({ cause: 'revoked', detail: 'it still had a revoked permission' });
        return [];
      });
      await Promise.all(updated);
    },
    replace: () => {
      for (const replica of serving) replaceOne(replica);
    },
    halt: (end) => {
      shared.giveUp(endError(plugin, end));
      for (const guest of all) guest.kill(end);
    },
    end: (end) => {
      over = end;
      shared.giveUp(unloadedError(plugin, end));
      // guard: replaced-guests-killed-at-close
      for (const guest of all) guest.kill(end);
    },
  };
}

/** Ends after which the plugin's state is not missed: it was unloaded, or never started. */
const KEEPS_STATE: ReadonlySet<GuestEndCause> = new Set(['closed', 'start']);
