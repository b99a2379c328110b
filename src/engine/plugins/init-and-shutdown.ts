import { isBulkheadError } from '../../errors.js';
import type { Instance, ShutdownReason } from '../instance/instance.js';
import { asProblem, idle, type InstalledEntry, type InstalledPlugin } from './installed.js';
import { isDoneWithin } from '../../waiting.js';

/**
 * Runs `init` of a plugin. If it fails for an entry, that entry does not run; the plugin's other
 * entries do. If there is no capacity for a guest, `init` runs before the first call.
 */
export async function initPlugin(installed: InstalledPlugin): Promise<InstalledPlugin> {
  if (!installed.entries.some(hasInit)) return installed;
  const entries = await Promise.all(installed.entries.map(beginEntry));
  return { ...installed, entries };
}

function hasInit({ instances: [instance] }: InstalledEntry): boolean {
  return instance?.lifecycle?.hasInit === true;
}

async function beginEntry(entry: InstalledEntry): Promise<InstalledEntry> {
  const [instance] = entry.instances;
  if (instance === undefined || !hasInit(entry)) return entry;
  try {
    await instance.guests.acquire();
    return entry;
  } catch (error) {
    if (isBulkheadError(error, 'BUSY') || isBulkheadError(error, 'QUARANTINED')) return entry;
    await Promise.all(entry.instances.map((one) => one.close()));
    // guard: failed-plugin-stays-idle
    return idle(entry.entry, [
      ...entry.problems,
      asProblem(error, (stack) => instance.mapStack(stack)),
    ]);
  }
}

/**
 * Runs `shutdown` of all these plugins, in the order of their dialects. Each waits up to 250 ms for
 * the one before. A slower `shutdown` continues in parallel and is killed at its own limit.
 */
export async function shutDown(
  plugins: readonly InstalledPlugin[],
  reason: ShutdownReason,
): Promise<void> {
  const instances = plugins
    .flatMap(({ entries }) => entries.flatMap((entry) => entry.instances))
    .flatMap((instance) => [instance, ...(instance.tenants?.all ?? [])]);
  const isReversed = ({ lifecycle }: Instance): boolean =>
    lifecycle?.shutdownOrder === 'last-first';
  const ordered = [
    ...instances.filter((instance) => !isReversed(instance)),
    ...instances.filter(isReversed).toReversed(),
  ];
  const ending: Promise<void>[] = [];
  for (const instance of ordered) {
    const { lifecycle } = instance;
    const { serving } = instance.guests;
    if (lifecycle === undefined || serving.length === 0) continue;
    const ended = Promise.all(serving.map((guest) => lifecycle.end(guest, reason))).then(() => {});
    ending.push(ended);
    await isDoneWithin(ended, MAX_WAIT_MS);
  }
  await Promise.all(ending);
}

/** How long the next plugin waits for a `shutdown`. */
const MAX_WAIT_MS = 250;
