/**
 * A line in which nobody's crowd keeps another waiting: tenants take turns, each tenant's plugins
 * take turns, and for one plugin who came first is first.
 *
 * ```
 *              ┌─ tenant a ──┬─ plugin p: 1 2 3 4 5 6 …
 *   next ◄─────┤             └─ plugin q: 1
 *   (in turns) └─ tenant b ──── plugin p: 1 2
 *
 *   leaves as a.p1  b.p1  a.q1  b.p2  a.p2  a.p3 …
 * ```
 */
export interface FairLine<Plugin, Waiter> {
  readonly size: number;
  add(place: PlaceInLine<Plugin>, waiter: Waiter): void;
  /** Takes out whose turn it is, of those whose plugin may go. */
  take(mayGo: (plugin: Plugin) => boolean): Waiter | undefined;
  /** Takes out one that gave up. `false` where it is in the line no more. */
  remove(place: PlaceInLine<Plugin>, waiter: Waiter): boolean;
  /** How many wait behind one another there, and the first of them. */
  at(place: PlaceInLine<Plugin>): { readonly size: number; readonly first: Waiter | undefined };
  /** The last of the longest line of the tenant that has most in line; of equals, the one at `place`. */
  longest(place: PlaceInLine<Plugin>): Waiter | undefined;
}

export interface PlaceInLine<Plugin> {
  readonly tenant: string;
  readonly plugin: Plugin;
}

export function makeFairLine<Plugin, Waiter>(): FairLine<Plugin, Waiter> {
  // Maps keep the order in which keys came: whoever has had a turn is put in again, at the end.
  const tenants = new Map<string, Map<Plugin, Set<Waiter>>>();
  let size = 0;

  const linesOf = (tenant: string): Map<Plugin, Set<Waiter>> => tenants.get(tenant) ?? new Map();

  const remove = ({ tenant, plugin }: PlaceInLine<Plugin>, waiter: Waiter): boolean => {
    const plugins = linesOf(tenant);
    const waiters = plugins.get(plugin);
    if (waiters?.delete(waiter) !== true) return false;
    size -= 1;
    if (waiters.size === 0) plugins.delete(plugin);
    if (plugins.size === 0) tenants.delete(tenant);
    return true;
  };

  const hadTurn = ({ tenant, plugin }: PlaceInLine<Plugin>): void => {
    const plugins = linesOf(tenant);
    moveToEnd(plugins, plugin);
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

/** The value of which there is most; `own` where none is larger. */
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
