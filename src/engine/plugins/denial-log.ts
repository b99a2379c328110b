import type { BulkheadEvent, EventBus, EventOf } from '../../events.js';
import type { DeniedUse } from '../types/result.js';

/** Collects the denials of running calls and hooks, also those that plugin code caught. */
export interface DenialLog {
  /**
   * Begins to collect the denials of a call, or those of a plugin's hook. A denial that the host
   * cannot attribute to one call counts for each call of the plugin.
   */
  watch(plugin: string, call?: string): DenialWatch;
}

export interface DenialWatch {
  /** Ends the watch. Returns the members of a result: none without a denial. */
  end(): { readonly denied?: readonly DeniedUse[] };
}

/** Different denials of one call that are listed. Further ones only count in the audit log. */
const MAX_LISTED = 100;

interface Watched {
  readonly plugin: string;
  readonly call: string | undefined;
  uses: Map<string, DeniedUse> | undefined;
}

export function makeDenialLog(events: Pick<EventBus, 'on'>): DenialLog {
  const watched = new Set<Watched>();
  const note = (event: EventOf<'capability-denied'>): void => {
    for (const one of watched) if (concerns(event, one)) add(one, event);
  };
  events.on(
    (event: BulkheadEvent) => {
      if (event.type === 'capability-denied') note({ ...event, type: event.type });
    },
    ['capability-denied'],
  );
  return {
    watch: (plugin, call) => {
      const one: Watched = { plugin, call, uses: undefined };
      watched.add(one);
      return {
        end: () => {
          watched.delete(one);
          return one.uses === undefined ? {} : { denied: [...one.uses.values()] };
        },
      };
    },
  };
}

function concerns({ plugin, call, among }: EventOf<'capability-denied'>, one: Watched): boolean {
  if (plugin !== one.plugin) return false;
  if (one.call === undefined) return call === undefined;
  return call === undefined && among === undefined
    ? true
    : call === one.call || among?.includes(one.call) === true;
}

function add(one: Watched, event: EventOf<'capability-denied'>): void {
  const { permission, wanted, at, package: inPackage } = event;
  one.uses ??= new Map();
  const key = `${permission} ${wanted} ${inPackage ?? ''}`;
  const known = one.uses.get(key);
  if (known === undefined && one.uses.size >= MAX_LISTED) return;
  const place = known?.at ?? at;
  one.uses.set(key, {
    permission,
    wanted,
    count: (known?.count ?? 0) + 1,
    ...(place === undefined ? {} : { at: place }),
    ...(inPackage === undefined ? {} : { package: inPackage }),
  });
}
