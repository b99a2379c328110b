import { effectivePermissions } from '../../permissions/effective.js';
import { expand } from '../../lock/compact.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { NOTHING, policyFor } from '../grants/grants.js';
import type { GrantPolicy, PluginGrant } from '../options/options.js';
import type { HeldLock } from './held-lock.js';

/** What plugins get under a lock: what was accepted, or less where the host's policy says so. */
export function lockPolicy(lock: HeldLock, given: GrantPolicy | undefined): GrantPolicy {
  return (plugin): PluginGrant => {
    // What comes with the host, and its own workspace, is not for the lock to say.
    if (plugin.origin !== undefined) return policyFor(given ?? 'nothing', plugin);
    const locked = lockedOf(lock, plugin.id);
    if (locked === undefined) return 'nothing';
    const accepted = expand(locked.granted);
    const host = given === undefined ? 'declared' : policyFor(given, plugin);
    if (host === 'nothing') return 'nothing';
    return host === 'declared' ? accepted : effectivePermissions({ ...NOTHING, ...host }, accepted);
  };
}

/** Plugins of which somebody accepted that. */
export function lockedWith(
  lock: HeldLock | undefined,
  mark: 'trustHints' | 'unconfined',
): readonly string[] {
  if (lock === undefined) return [];
  return Object.entries(lock.read().plugins).flatMap(([id, locked]) =>
    locked[mark] === true ? [id] : [],
  );
}

function lockedOf(lock: HeldLock, id: string): LockedPlugin | undefined {
  const { plugins } = lock.read();
  return Object.hasOwn(plugins, id) ? plugins[id] : undefined;
}
