import type { ConsoleUpdates, ReviewedUpdate } from '../../console/updates.js';
import { isBulkheadError } from '../../errors.js';
import { isChanged, reasonsToReview } from '../../lock/changes.js';
import { describeChanges } from '../../lock/describe-changes.js';
import type { LockedPlugin } from '../../lock/lock.js';
import type { CliCapabilities } from '../capabilities.js';
import { acceptUpdate, requireHostMode } from '../lock/accept-update.js';
import { fetchPackage } from '../lock/fetch.js';
import { type LockSettings, openLock } from '../lock/options.js';
import { lockPackagesOption } from '../lock/packages.js';
import { reviewUpdate, type UpdateReview } from '../lock/review.js';

interface Reviewed {
  readonly locked: LockedPlugin;
  readonly directory: string;
  readonly review: UpdateReview;
}

/** Reviews and accepts updates as `bulkhead update` does, for the console. */
export function makeConsoleUpdates(
  settings: LockSettings,
  { ask: _noTerminal, ...capabilities }: CliCapabilities,
): ConsoleUpdates {
  /** Where the version that was reviewed last is. */
  const directories = new Map<string, string>();
  const lockOf = (id: string): { lock: ReturnType<typeof openLock>; locked: LockedPlugin } => {
    const named = openLock(settings, capabilities);
    const locked = named.read().plugins[named.idOf(id)];
    if (locked === undefined) throw new TypeError(`${id} is not locked`);
    const packages = lockPackagesOption({}, { [id]: locked.packages });
    return { lock: openLock(settings, capabilities, packages), locked };
  };
  const reviewAt = async (id: string, directory: string): Promise<Reviewed> => {
    const { lock, locked } = lockOf(id);
    return { locked, directory, review: await reviewUpdate(lock, id, capabilities, { directory }) };
  };

  return {
    ids: () => Object.keys(openLock(settings, capabilities).read().plugins),
    review: async (id) => {
      const accepted = lockOf(id).lock.directoryOf(id);
      const origin = capabilities.packages.describe(accepted);
      const directory =
        origin === undefined
          ? accepted
          : await fetchPackage(`npm:${origin.name}`, {}, capabilities, origin);
      const reviewed = await reviewAt(id, directory);
      directories.set(id, directory);
      return shown(reviewed);
    },
    accept: async (id, artifact, by) => {
      const { lock, locked } = lockOf(id);
      const directory = directories.get(id) ?? lock.directoryOf(id);
      const { review } = await reviewAt(id, directory);
      // guard: console-accepts-what-was-shown
      if (review.inspected.artifact.hash !== artifact) return 'changed';
      acceptUpdate(lock, locked, review, {}, by);
      directories.delete(id);
      return 'accepted';
    },
  };
}

function shown({ locked, review }: Reviewed): ReviewedUpdate {
  const { inspected, changes } = review;
  const changed = isChanged(changes);
  const refusal = changed ? whyNotHere(locked, review) : undefined;
  return {
    artifact: inspected.artifact.hash,
    changes: changed ? describeChanges(changes) : [],
    reasons: reasonsToReview(changes),
    code: review.code(),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

function whyNotHere(locked: LockedPlugin, review: UpdateReview): string | undefined {
  try {
    requireHostMode(locked, review, {});
    return undefined;
  } catch (error) {
    if (isBulkheadError(error)) return error.message;
    throw error;
  }
}
