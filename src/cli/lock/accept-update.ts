import type { AcceptedPackages } from '../../engine/accepted-packages.js';
import { allowances, grantedAfter } from '../../engine/allowances.js';
import type { Lockfile } from '../../engine/lockfile.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { hostModeDenied, runsUnconfined } from './consent.js';
import { decidePackages, type LockPackageSettings, packedTogether } from './packages.js';
import type { UpdateReview } from './review.js';

interface AcceptUpdateSettings extends LockPackageSettings {
  /** Permissions to grant beside those that were accepted before. */
  readonly allow?: readonly string[];
  /** Whether it may run without a compartment. */
  readonly allowHost?: boolean;
  /** Whether a lower version may be accepted. */
  readonly downgrade?: boolean;
}

/** What the packages of a plugin get with its current version. Absent: they run as one bundle. */
export function packagesAfter(
  locked: LockedPlugin,
  { inspected, wants, changes, bundledAnew }: UpdateReview,
  settings: AcceptUpdateSettings,
): AcceptedPackages | undefined {
  // guard: update-to-one-bundle-needs-a-yes
  if (bundledAnew.length > 0 && settings.packages !== 'together') {
    throw packedTogether(inspected.plugin.id, bundledAnew);
  }
  const { allow = [] } = settings;
  const granted = grantedAfter(locked, inspected, changes, allow);
  return decidePackages(inspected, settings, {
    granted,
    wants,
    before: locked.packages,
    ...(allow.length === 0 ? {} : { added: allowances(inspected, { only: allow }) }),
  });
}

/** Throws `POLICY_DENIED` if the current version needs to run without a compartment, and the operator has not allowed that. */
export function requireHostMode(
  locked: LockedPlugin,
  { inspected }: UpdateReview,
  { allowHost = false }: AcceptUpdateSettings,
): void {
  if (inspected.unconfined && locked.unconfined !== true && !allowHost)
    throw hostModeDenied(inspected);
}

/** Accepts the reviewed version of a plugin with what it asks for. `by`: the person. */
export function acceptUpdate(
  lock: Lockfile,
  locked: LockedPlugin,
  review: UpdateReview,
  settings: AcceptUpdateSettings,
  by: string,
): void {
  requireHostMode(locked, review, settings);
  const { inspected, signer, changes } = review;
  const packages = packagesAfter(locked, review, settings);
  lock.accept(inspected, {
    granted: grantedAfter(locked, inspected, changes, settings.allow ?? []),
    ...(packages === undefined ? {} : { packages }),
    trustHints: locked.trustHints ?? false,
    unconfined:
      runsUnconfined(inspected, settings) ||
      // Tools that were accepted without a compartment stay so.
      (locked.unconfined === true && inspected.hostTools.length > 0),
    by,
    ...(signer === undefined ? {} : { signer }),
    downgrade: settings.downgrade ?? false,
  });
}
