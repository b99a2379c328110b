/**
 * A fair queue. Tenants take turns, each tenant's plugins take turns, and the calls of one plugin are
 * served first in, first out.
 *
 * ```
 *              ┌─ tenant a ──┬─ plugin p: 1 2 3 4 5 6 …
 *   next ◄─────┤             └─ plugin q: 1
 *   (in turns) └─ tenant b ──── plugin p: 1 2
 *
 *   leaves as a.p1  b.p1  a.q1  b.p2  a.p2  a.p3 …
 * ```
 */
export interface FairQueue<Plugin, Waiter> {
  readonly size: number;
  add(place: QueuePosition<Plugin>, waiter: Waiter): void;
  /** Removes and returns the next waiter whose plugin passes `mayGo`. */
  take(mayGo: (plugin: Plugin) => boolean): Waiter | undefined;
  /** Removes a waiter. Returns `false` if it is not in the queue. */
  remove(place: QueuePosition<Plugin>, waiter: Waiter): boolean;
  /** The number of waiters at this position, and the first of them. */
  at(place: QueuePosition<Plugin>): { readonly size: number; readonly first: Waiter | undefined };
  /** The last waiter in the longest queue of the tenant with most waiters. `place` wins a tie. */
  longest(place: QueuePosition<Plugin>): Waiter | undefined;
}

export interface QueuePosition<Plugin> {
  readonly tenant: string;
  readonly plugin: Plugin;
}

export function makeFairQueue<Plugin, Waiter>(): FairQueue<Plugin, Waiter> {
  // Maps iterate in insertion order. A key is moved to the end after its turn.
  const tenants = new Map<string, Map<Plugin, Set<Waiter>>>();
  let size = 0;

  const linesOf = (tenant: string): Map<Plugin, Set<Waiter>> => tenants.get(tenant) ?? new Map();

  const remove = ({ tenant, plugin }: QueuePosition<Plugin>, waiter: Waiter): boolean => {
    const plugins = linesOf(tenant);
    const waiters = plugins.get(plugin);
    if (waiters?.delete(waiter) !== true) return false;
    size -= 1;
    if (waiters.size === 0) plugins.delete(plugin);
    if (plugins.size === 0) tenants.delete(tenant);
    return true;
  };

  const hadTurn = ({ tenant, plugin }: QueuePosition<Plugin>): void => {
    const plugins = linesOf(tenant);
    // guard: plugin-turn-ends
    moveToEnd(plugins, plugin);
    // guard: tenant-turn-ends
    moveToEnd(tenants, tenant);
  };

  return {
    get size() {
      return size;
    },
    add: ({ tenant, plugin }, waiter) => {
      const plugins = linesOf(tenant);
      tenants.set(tenant, plugins);
      plugins.set(plugin, (plugins.get(plugin) ?? new Set<Waiter>()).add(waiter));
      size += 1;
    },
    take: (mayGo) => {
      for (const [tenant, plugins] of tenants) {
        for (const [plugin, [waiter]] of plugins) {
          if (waiter === undefined || !mayGo(plugin)) continue;
          remove({ tenant, plugin }, waiter);
          hadTurn({ tenant, plugin });
          return waiter;
        }
      }
      return undefined;
    },
    remove,
    at: ({ tenant, plugin }) => {
      const waiters = linesOf(tenant).get(plugin) ?? new Set<Waiter>();
      const [first] = waiters;
      return { size: waiters.size, first };
    },
    longest: ({ tenant, plugin }) => {
      const lines = longestOf(tenants, linesOf(tenant), crowdOf) ?? new Map<Plugin, Set<Waiter>>();
      const own = lines.get(plugin);
      return [...(longestOf(lines, own, ({ size: length }) => length) ?? [])].at(-1);
    },
  };
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

function crowdOf(plugins: ReadonlyMap<unknown, ReadonlySet<unknown>>): number {
  return [...plugins.values()].reduce((sum, waiters) => sum + waiters.size, 0);
}

/** The value with the largest length; `own` wins a tie. */
function longestOf<Value>(
  all: ReadonlyMap<unknown, Value>,
  own: Value | undefined,
  lengthOf: (value: Value) => number,
): Value | undefined {
  let longest = own;
  for (const value of all.values()) {
    if (longest === undefined || lengthOf(value) > lengthOf(longest)) longest = value;
  }
  return longest;
}
