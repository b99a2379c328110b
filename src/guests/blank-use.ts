import type { Guest } from './guest.js';
import { readProcessorUse } from './processor.js';

/**
 * Processor time that guests had used while they were blank, in milliseconds. What a plugin is charged
 * for begins there. It is looked at while nobody waits: when a plugin takes the guest, to ask the
 * system takes a twentieth of the time to its first result.
 */
const used = new WeakMap<object, number>();

/** Notes it for a guest that is ready, prepared, and has nothing more to do before it is taken. */
export function noteBlankUse(guest: Pick<Guest, 'pid'>): void {
  const use = readProcessorUse(guest.pid);
  if (use !== undefined) used.set(guest, use.usedMs);
}

/** `undefined` where it was not noted. */
export function blankUseOf(guest: Pick<Guest, 'pid'>): number | undefined {
  return used.get(guest);
}
