import type { Json } from '../../../sandbox/wire/messages.js';
import type { GuestGrant, LoadParams } from '../../../sandbox/wire/methods.js';
import type { Peer } from '../../../sandbox/wire/peer.js';
import type { Service } from '../../../sandbox/wire/service.js';
import { BulkheadError } from '../../errors.js';
import type { EventBus, GuestEndCause } from '../../events.js';
import { type GuestEnd, inactiveError } from '../../guests/end.js';
import type { Guest } from '../../guests/guest.js';
import { loadWithin } from './load-guest.js';
import { tellGrant } from './regrant.js';
import { makeSharedStart, type Wants } from './shared-start.js';
import type { ValidatorCourier } from './validator-courier.js';

/** The guest in which an entry lives, from its first use on: loaded, and replaced when it ends. */
export interface Resident {
  /** The guest that has begun to serve, where there is one now that may be trusted to answer. */
  readonly current: Guest | undefined;
  /** For how long it has been there. */
  readonly ageMs: number;
  /**
   * That guest; starts one and lets it begin where there is none. Rejects with the reason. One that
   * waits for room to start is given up once everybody has aborted who waits for it.
   */
  acquire(wants?: Wants): Promise<Guest>;
  /** A guest that is loaded, whether or not it has begun. Rejects with the reason. */
  load(): Promise<Guest>;
  /**
   * A call was given up, and the guest has until the grace is over to settle it: `settled` resolves
   * when it has. Meanwhile it gets no new calls; if it does not settle it is killed.
   */
  doubt(guest: Guest, settled: Promise<unknown>, detail: string): void;
  /** Tells this and every later guest what inputs have to fit. */
  setSchemas(schemas: Schemas): void;
  /**
   * Tells every guest what it holds from now on. Resolves when all of them have taken it in. Where
   * something was taken away (`narrowed`), one that does not within its time is killed.
   */
  regrant(grant: GuestGrant, narrowed: boolean): Promise<void>;
  /** Lets the guest finish what it was asked, and ends it. The next `acquire` starts another. */
  replace(): void;
  /** Ends every guest that there is, for good: every later `acquire` rejects. */
  end(end: GuestEnd): void;
}

/** By tool. */
export type Schemas = readonly (readonly [tool: string, schema: Json])[];

export interface ResidentSpec {
  readonly plugin: string;
  readonly entry: string;
  readonly bundleHash: string;
  /** A blank guest, as soon as there is room for it. */
  readonly take: (wants: Wants) => Promise<Guest>;
  /** Everything but the code is made anew for each guest: variables are read when it loads. */
  readonly load: () => LoadParams;
  /** What a loaded guest does first of all. Where it rejects, the guest is of no use. */
  readonly begin?: ((guest: Guest) => Promise<void>) | undefined;
  readonly service: (peer: Peer) => Service;
  readonly validator: ValidatorCourier;
  readonly loadTimeoutMs: number;
  /** From a call given up to the kill of the guest that has not settled it. */
  readonly graceMs: number;
  readonly events: EventBus;
  /** The guest has loaded, and is the one that lives here from now on. */
  readonly onLoaded?: () => void;
  /** The guest that lived here has ended. */
  readonly onEnded?: (cause: GuestEndCause) => void;
}

/** How long a new call waits for a guest in doubt: honest tools settle at once when told to stop. */
const PATIENCE_MS = 10;

export function makeResident(spec: ResidentSpec): Resident {
  let current: Guest | undefined;
  let schemas: Schemas | undefined;
  /** Guests that have not settled what was given up, and how many calls that is. */
  const doubts = new Map<Guest, Set<Promise<unknown>>>();
  let serving: Guest | undefined;
  const beginning = new WeakMap<Guest, Promise<void>>();
  let loadedMs = 0;
  let over: GuestEnd | undefined;
  /** All that are alive: also those that are only finishing what they were asked. */
  const guests = new Set<Guest>();
  /** Those among them that were replaced for what they hold, and get no more. */
  const retired = new WeakSet<Guest>();

  const tellSchemas = (guest: Guest): void => {
    if (schemas === undefined) return;
    // Nobody waits for it: messages keep their order, so every later call finds the schemas there.
    spec.validator.deliver(guest);
    guest.peer.ask('schemas', { schemas }).answer.catch(() => {});
  };

  const start = async (wants: Wants): Promise<Guest> => {
    const guest = await spec.take(wants);
    // Let go of in the moment in which there was room.
    if (over !== undefined) guest.kill(over);
    watch(guest);
    guest.serve(spec.service(guest.peer));
    const began = performance.now();
    let told: Schemas | undefined;
    await loadWithin(guest, {
      ...spec,
      onAsked: ({ tape }) => {
        // A guest that is recorded is told one thing at a time.
        if (tape !== undefined) return;
        told = schemas;
        tellSchemas(guest);
      },
    });
    // They may have changed meanwhile.
    if (told !== schemas) tellSchemas(guest);
    current = guest;
    if (spec.begin === undefined) serving = guest;
    loadedMs = performance.now();
    spec.onLoaded?.();
    spec.events.emit({
      type: 'plugin-loaded',
      plugin: spec.plugin,
      entry: spec.entry,
      bundle: spec.bundleHash,
      durationMs: performance.now() - began,
    });
    return guest;
  };

  const watch = (guest: Guest): void => {
    const { plugin, events } = spec;
    const { pid } = guest;
    guests.add(guest);
    events.emit({ type: 'guest-started', plugin, pid });
    void guest.ended.then(({ cause, detail }) => {
      guests.delete(guest);
      const lived = current === guest;
      if (lived) current = undefined;
      events.emit({ type: 'guest-ended', plugin, pid, cause, detail });
      if (lived) spec.onEnded?.(cause);
    });
  };

  // A guest that was just killed has not ended yet, and takes no more calls.
  const trusted = (): Guest | undefined =>
    current?.alive === true && !current.inDoubt && !doubts.has(current) ? current : undefined;

  const startUnlessTrusted = async (wants: Wants): Promise<Guest> => {
    const doubted = current === undefined ? undefined : doubts.get(current);
    if (doubted !== undefined) await within(Promise.all(doubted), PATIENCE_MS);
    const trustedNow = trusted();
    if (trustedNow !== undefined) return trustedNow;
    const before = current;
    const guest = await start(wants);
    // One that is in doubt still goes when it has settled what was given up, or is killed.
    if (before !== undefined && !doubts.has(before)) void retire(before);
    return guest;
  };

  const loading = makeSharedStart(startUnlessTrusted);
  const loadOnce = (wants?: Wants): Promise<Guest> => {
    if (over !== undefined) return Promise.reject(letGo(spec.plugin, over));
    return loading.join(wants);
  };

  const begin = async (guest: Guest): Promise<void> => {
    try {
      await spec.begin?.(guest);
      serving = guest;
    } catch (error) {
      guest.kill({ cause: 'replaced', detail: 'its plugin could not begin' });
      throw error;
    }
  };

  return {
    get current() {
      return current === serving ? trusted() : undefined;
    },
    get ageMs() {
      return performance.now() - loadedMs;
    },
    load: () => loadOnce(),
    acquire: async (wants) => {
      const guest = await loadOnce(wants);
      if (guest !== serving) {
        const begun = beginning.get(guest) ?? begin(guest);
        beginning.set(guest, begun);
        await begun;
      }
      return guest;
    },
    doubt: (guest, settled, detail) => {
      const open = doubts.get(guest) ?? new Set();
      doubts.set(guest, open.add(settled));
      guest.doubt(settled);
      const timer = setTimeout(() => guest.kill({ cause: 'deadline', detail }), spec.graceMs);
      void settled.then(() => {
        clearTimeout(timer);
        open.delete(settled);
        if (open.size === 0) doubts.delete(guest);
        if (guest !== current) void retire(guest);
      });
    },
    setSchemas: (next) => {
      schemas = next;
      if (current !== undefined) tellSchemas(current);
    },
    regrant: async (grant, narrowed) => {
      const told = [...guests].flatMap((guest) => {
        if (!retired.has(guest)) return [tellGrant(guest, grant, narrowed)];
        if (narrowed) guest.kill({ cause: 'revoked', detail: 'it held what was taken away' });
        return [];
      });
      await Promise.all(told);
    },
    replace: () => {
      if (current === undefined) return;
      retired.add(current);
      void retire(current);
      current = undefined;
    },
    end: (end) => {
      over = end;
      loading.giveUp(letGo(spec.plugin, end));
      for (const guest of guests) guest.kill(end);
    },
  };
}

/** Ends a guest that another has replaced, once it has answered what it was still asked. */
async function retire(guest: Guest): Promise<void> {
  while (guest.alive && guest.peer.openRequests > 0) await pause(RETIRE_POLL_MS);
  guest.kill({ cause: 'replaced', detail: 'another guest took its place' });
}

const RETIRE_POLL_MS = 20;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function within(settled: Promise<unknown>, ms: number): Promise<unknown> {
  return Promise.race([settled, pause(ms)]);
}

function letGo(plugin: string, { inactive, detail }: GuestEnd): BulkheadError {
  if (inactive === true) return inactiveError(plugin, detail);
  return new BulkheadError('ENGINE_CLOSED', `The engine let go of ${plugin}.`, {});
}
