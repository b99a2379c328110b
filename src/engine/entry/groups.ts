import { makeAllowance } from '../../guests/allowance.js';
import type { Capacity, Started } from '../../guests/capacity.js';
import type { Guest } from '../../guests/guest.js';
import { readMemory, readProcessorUse } from '../../guests/processor.js';
import type { SharedGuest } from '../../guests/shared-guest.js';
import { watchGuest } from '../../guests/watch.js';
import type { Settings } from '../options/settings.js';

/** The trust groups of an engine: plugins whose compartments are put into one process. */
export interface Groups {
  /** The group of that plugin; `undefined` where it gets guests of its own. */
  of(plugin: string): Group | undefined;
}

export interface Group {
  readonly name: string;
  /** Room for one more plugin. Rejects `BUSY` where a process is needed and there is no room for it. */
  open(): Promise<Guest>;
}

export interface GroupsSpec {
  readonly settings: Settings;
  readonly capacity: Capacity;
  readonly canRest: boolean;
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
 * One process at a time: what one of its plugins uses of the processor is charged to all, it rests
 * when none of them is called, and it counts once among the engine's guests.
 */
function makeGroup(name: string, plugins: readonly string[], spec: GroupsSpec): Group {
  const { settings, capacity, canRest } = spec;
  const { limits, background } = settings;
  const allowance = makeAllowance(limits);
  let current: SharedGuest | undefined;
  let starting: Promise<SharedGuest> | undefined;

  const start = (): Started<SharedGuest> => {
    const shared = spec.start();
    const watch = watchGuest({
      guest: shared.whole,
      allowance,
      readUse: readProcessorUse,
      readMemory,
      onWeighed: capacity.relieve,
      background: plugins.some((plugin) => background.includes(plugin)),
      canRest,
      restAfterMs: limits.restAfterMs,
      endAfterMs: limits.endAfterMs,
      now: () => performance.now(),
    });
    return { guest: shared, life: shared.whole, watch };
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
      if (current?.whole.alive !== true || current.inDoubt) current = await startOnce();
      return current.open();
    },
  };
}
