import { makeAllowance } from '../guests/allowance.js';
import type { Capacity } from '../guests/capacity.js';
import type { Guest } from '../guests/guest.js';
import { readProcessorUse } from '../guests/processor.js';
import type { SharedGuest } from '../guests/shared-guest.js';
import { watchGuest } from '../guests/watch.js';
import type { Settings } from './settings.js';

/** The trust groups of an engine: plugins whose compartments are put into one process. */
export interface Groups {
  /** The group of that plugin; `undefined` where it gets guests of its own. */
  of(plugin: string): Group | undefined;
}

export interface Group {
  readonly name: string;
  /** Room for one more plugin. Throws `BUSY` where a process is needed and there is no room for it. */
  open(): Guest;
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

  const start = (): SharedGuest => {
    capacity.makeRoom(`the trust group ${name}`);
    const shared = spec.start();
    const watch = watchGuest({
      guest: shared.whole,
      allowance,
      readUse: readProcessorUse,
      background: plugins.some((plugin) => background.includes(plugin)),
      canRest,
      restAfterMs: limits.restAfterMs,
      endAfterMs: limits.endAfterMs,
      now: () => performance.now(),
    });
    capacity.add(shared.whole, watch);
    return shared;
  };

  return {
    name,
    open: () => {
      if (current?.whole.alive !== true || current.inDoubt) current = start();
      return current.open();
    },
  };
}
