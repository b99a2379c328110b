import { isBulkheadError } from '../../errors.js';
import { DIALECTS } from '../../hooks/dialects.js';
import type { OpenEntry } from './entry.js';
import { asProblem, idle } from '../plugins/idle-entry.js';
import type { Installed, InstalledEntry } from '../plugins/installed.js';
import type { ShutdownReason } from './lifecycle.js';

/**
 * Runs the `init` of a plugin that has one. An entry of which it fails does not run; its neighbours
 * do. Where there is no room for its guest now, its first call finds one.
 */
export async function beginPlugin(installed: Installed): Promise<Installed> {
  if (!installed.entries.some(hasInit)) return installed;
  const entries = await Promise.all(installed.entries.map(beginEntry));
  return { ...installed, entries };
}

function hasInit({ rooms: [room] }: InstalledEntry): boolean {
  return room?.lifecycle?.hasInit === true;
}

async function beginEntry(entry: InstalledEntry): Promise<InstalledEntry> {
  const [room] = entry.rooms;
  if (room === undefined || !hasInit(entry)) return entry;
  try {
    await room.resident.acquire();
    return entry;
  } catch (error) {
    if (isBulkheadError(error, 'BUSY') || isBulkheadError(error, 'QUARANTINED')) return entry;
    await Promise.all(entry.rooms.map((one) => one.close()));
    return idle(entry.entry, [...entry.problems, asProblem(error)]);
  }
}

/**
 * Runs the `shutdown` of all these plugins, in the order that their dialects want. Each waits a
 * moment for the one before; one that takes longer goes on beside the others, and is killed.
 */
export async function shutDown(
  plugins: readonly Installed[],
  reason: ShutdownReason,
): Promise<void> {
  const rooms = plugins.flatMap(({ entries }) => entries.flatMap((entry) => entry.rooms));
  const isReversed = ({ lifecycle }: OpenEntry): boolean =>
    lifecycle !== undefined && DIALECTS[lifecycle.dialect].shutdown === 'last-first';
  const ordered = [
    ...rooms.filter((room) => !isReversed(room)),
    ...rooms.filter(isReversed).toReversed(),
  ];
  const ending: Promise<void>[] = [];
  for (const room of ordered) {
    const { lifecycle } = room;
    const guest = lifecycle && room.resident.current;
    if (lifecycle === undefined || guest === undefined) continue;
    const ended = lifecycle.end(guest, reason);
    ending.push(ended);
    await within(ended, PATIENCE_MS);
  }
  await Promise.all(ending);
}

/** So long a plugin's turn to shut down is its own. */
const PATIENCE_MS = 250;

async function within(settled: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([settled, late]);
  clearTimeout(timer);
}
