import type { Capacity, Started } from '../../guests/capacity.js';
import { type CpuBudget, makeCpuBudget } from '../../guests/cpu-budget.js';
import type { Guest, WireTap } from '../../guests/guest.js';
import { standbyUseOf } from '../../guests/pool.js';
import { readMemory, readProcessorUse } from '../../processor.js';
import type { SharedGuest } from '../../guests/shared-guest.js';
import { watchGuest } from '../../guests/watch.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import type { Settings } from '../types/settings.js';
import { isCrash, type Quarantine } from './quarantine.js';
import type { Wants } from './shared-start.js';

/** The source of an engine's guests. */
export interface GuestSource {
  /** Takes a standby guest of that kind. */
  take(confinement: PluginEntry['confinement']): Guest;
  /** Takes a confined standby guest with a tapped wire. It already has the validator. */
  takeTapped(tap: WireTap): Guest;
  /** Capacity for loaded guests. */
  readonly capacity: Capacity;
  /** Whether a guest can be suspended without the risk that it outlives its host. */
  readonly canSuspend: boolean;
  readonly groups: Groups;
  readonly validator: ValidatorDelivery;
}

/** The source of one entry's guests. */
export interface GuestPlacement {
  /** Takes a standby guest of the kind that the entry needs. */
  readonly take: () => Guest;
  /** The trust group whose process the entry uses instead. */
  readonly group: Group | undefined;
  readonly quarantine: Quarantine;
  /** Charged for all guests. Default: a budget for the guests of one instance. */
  readonly cpuBudget?: CpuBudget;
}

export interface GuestAllocatorSpec {
  readonly plugin: string;
  readonly placement: GuestPlacement;
  readonly settings: Settings;
  readonly source: Pick<GuestSource, 'capacity' | 'canSuspend'>;
}

/**
 * Starts an entry's guests. Each guest counts against the engine's capacity and is charged to the
 * entry's CPU budget. A trust group counts once for all of its plugins. The function rejects with
 * `QUARANTINED`, `BUSY`, or the signal's reason.
 */
export function makeGuestAllocator(spec: GuestAllocatorSpec): (wants: Wants) => Promise<Guest> {
  const { plugin, settings, source, placement } = spec;
  const { group, quarantine } = placement;
  const { capacity, canSuspend } = source;
  const { limits } = settings;
  const { cpuBudget = makeCpuBudget(limits) } = placement;
  const admit = (guest: Guest): Guest => {
    void guest.ended.then(({ cause, ambiguous }) => {
      // guard: ambiguous-crash-separates
      if (ambiguous === true && isCrash(cause)) group?.separate(plugin);
      else quarantine.ended(cause);
    });
    return guest;
  };
  const start = (): Started<Guest> => {
    const guest = placement.take();
    const watch = watchGuest({
      guest,
      cpuBudget,
      usedOnStandbyMs: standbyUseOf(guest),
      readUse: readProcessorUse,
      readMemory,
      onMeasured: capacity.relieve,
      background: settings.background.includes(plugin),
      canSuspend,
      suspendAfterMs: limits.suspendAfterMs,
      stopAfterMs: limits.stopAfterMs,
      now: () => performance.now(),
    });
    return { guest, handle: guest, watch };
  };
  return async (wants) => {
    quarantine.admit();
    const isShared = group?.admits(plugin) === true;
    return admit(await (isShared ? group.open() : capacity.start(plugin, start, wants)));
  };
}

/** The trust groups of an engine. The compartments of a group share one process. */
export interface Groups {
  /** The plugin's group. `undefined` if the plugin gets its own guests. */
  of(plugin: string): Group | undefined;
}

export interface Group {
  readonly name: string;
  /**
   * Opens a compartment for one more plugin. Rejects with `BUSY` if it needs a process and there is
   * no capacity.
   */
  open(): Promise<Guest>;
  /** Whether the plugin shares the group's process now. */
  admits(plugin: string): boolean;
  /**
   * Gives the plugin guests of its own for `limits.crashWindowMs`. When a shared process crashes, the
   * host cannot know which plugin caused it. If it was this one, it crashes alone the next time.
   */
  separate(plugin: string): void;
}

export interface GroupsSpec {
  readonly settings: Settings;
  readonly capacity: Capacity;
  readonly canSuspend: boolean;
  readonly start: () => SharedGuest;
}

export function makeGroups(spec: GroupsSpec): Groups {
  const groups = new Map<string, Group>();
  for (const [name, plugins] of Object.entries(spec.settings.trustGroups)) {
    const group = makeGroup(name, plugins, spec);
    for (const plugin of plugins) groups.set(plugin, group);
  }
  return { of: (plugin) => groups.get(plugin) };
}

/**
 * One process at a time. Its processor time is charged to all plugins of the group. It is suspended
 * when none of them is called. It counts as one guest.
 */
function makeGroup(name: string, plugins: readonly string[], spec: GroupsSpec): Group {
  const { settings, capacity, canSuspend } = spec;
  const { limits, background } = settings;
  const cpuBudget = makeCpuBudget(limits);
  let current: SharedGuest | undefined;
  let starting: Promise<SharedGuest> | undefined;
  /** Until when plugins have guests of their own. */
  const separateUntilMs = new Map<string, number>();

  const start = (): Started<SharedGuest> => {
    const shared = spec.start();
    const watch = watchGuest({
      guest: shared.handle,
      cpuBudget,
      readUse: readProcessorUse,
      readMemory,
      onMeasured: capacity.relieve,
      background: plugins.some((plugin) => background.includes(plugin)),
      canSuspend,
      suspendAfterMs: limits.suspendAfterMs,
      stopAfterMs: limits.stopAfterMs,
      now: () => performance.now(),
    });
    return { guest: shared, handle: shared.handle, watch };
  };
  const startOnce = (): Promise<SharedGuest> => {
    starting ??= capacity.start(`the trust group ${name}`, start).finally(() => {
      starting = undefined;
    });
    return starting;
  };

  return {
    name,
    open: async () => {
      // Its process may be in a loop: if it is, the check kills it.
      await current?.checking;
      if (current?.handle.alive !== true || current.handle.draining) current = await startOnce();
      return current.open();
    },
    admits: (plugin) => (separateUntilMs.get(plugin) ?? 0) <= performance.now(),
    separate: (plugin) => {
      separateUntilMs.set(plugin, performance.now() + limits.crashWindowMs);
    },
  };
}

/**
 * Sends guests the schema validator. Its text is large, so each guest and each realm gets it once.
 */
export interface ValidatorDelivery {
  /**
   * Sends a standby guest the validator and warms it up, outside of calls. Resolves when the guest
   * is done or has failed.
   */
  ahead(guest: Guest): Promise<void>;
  /** Sends a guest the validator before any later message. */
  deliver(guest: Guest): void;
}

export function makeValidatorDelivery(source: string): ValidatorDelivery {
  const had = new WeakSet<Guest>();
  const realms = new WeakSet<object>();
  const send = async (guest: Guest, warmUp: boolean): Promise<void> => {
    if (had.has(guest)) return;
    had.add(guest);
    // If the guest ends first, its callers get that error.
    const text = realms.has(guest.realm) ? '' : source;
    realms.add(guest.realm);
    await guest.peer.ask('validator', { source: text, warmUp }).answer.catch(() => {});
  };
  return {
    ahead: (guest) => send(guest, true),
    deliver: (guest) => void send(guest, false),
  };
}
