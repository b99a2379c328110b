import type { GuestLife } from './shared-guest.js';
import type { Watch } from './watch.js';

/** A guest that holds a plugin, and since when. */
export interface Held {
  readonly guest: GuestLife;
  readonly watch: Pick<Watch, 'idleSinceMs' | 'mayEnd' | 'memoryMb'>;
  readonly sinceMs: number;
  /** Nobody has had the time to ask it anything yet. */
  fresh: boolean;
}

/** A plugin keeps its guest for at least so long, also where others wait: starting costs more. */
export const TURN_MS = 1_000;

/** The guest that nobody has called for longest; `undefined` where each is in use. */
export function chooseIdle(held: Iterable<Held>): Held | undefined {
  let longest: { readonly one: Held; readonly sinceMs: number } | undefined;
  for (const one of held) {
    const sinceMs = one.fresh ? undefined : one.watch.idleSinceMs;
    if (sinceMs === undefined || (longest !== undefined && sinceMs >= longest.sinceMs)) continue;
    longest = { one, sinceMs };
  }
  return longest?.one;
}

/** The guest in use that its plugin has had for longest, and long enough. */
export function chooseToMakeWay(held: Iterable<Held>, nowMs: number): Held | undefined {
  let longest: Held | undefined;
  for (const one of held) {
    const { guest, watch, sinceMs } = one;
    if (!watch.mayEnd || guest.makingWay || nowMs - sinceMs < TURN_MS) continue;
    if (longest === undefined || sinceMs < longest.sinceMs) longest = one;
  }
  return longest;
}
