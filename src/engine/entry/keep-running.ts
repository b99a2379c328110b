import { isBulkheadError } from '../../errors.js';
import type { GuestEndCause } from '../../events.js';
import type { OpenEntry } from './entry.js';
import type { EntrySpec } from './entry-spec.js';

/** From the end of a guest to the start of the next: whatever ended it may still be going on. */
const RESTART_MS = 50;

/** Ends after which there is nothing to go on with. */
const FINAL: ReadonlySet<GuestEndCause> = new Set(['closed', 'start']);

/**
 * Lets an entry run from now on, if its plugin may run while nobody calls it: its guest is started at
 * once, and again whenever it ends, though not faster than quarantine allows. Answers who wants to be
 * told of such an end.
 */
export function keepRunning(
  { plugin, settings }: Pick<EntrySpec, 'plugin' | 'settings'>,
  room: OpenEntry,
): ((cause: GuestEndCause) => void) | undefined {
  if (!settings.background.includes(plugin.id)) return undefined;

  const start = (): void => {
    room.resident.acquire().catch((error: unknown) => {
      if (isBulkheadError(error, 'QUARANTINED') || isBulkheadError(error, 'BUSY')) {
        later(error.details.retryAfterMs);
      }
      // Whatever else keeps it from loading would do so again: the next call tells of it.
    });
  };
  const later = (ms: number): void => {
    setTimeout(start, ms).unref();
  };

  start();
  return (cause) => {
    if (!FINAL.has(cause)) later(RESTART_MS);
  };
}
