import { filesystem } from '../../permissions/filesystem.js';
import { type Grant, makeGrant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import {
  makePermissions,
  NO_PERMISSIONS,
  scopesOf,
  unionOf,
} from '../../permissions/permissions.js';
import type { PermissionReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import { checkPluginGrant } from '../types/check-options.js';
import type { GrantPolicy, PluginGrant } from '../types/options.js';

export const NOTHING: Permissions = NO_PERMISSIONS;

/** The grants of all plugins: the host's policy and the host's later changes. */
export interface Grants {
  /**
   * Returns the entry with its requested permissions. If its system cannot declare some kinds, the
   * host's policy supplies the request for these kinds.
   */
  request(plugin: Plugin, entry: PluginEntry): PluginEntry;
  /** What an entry gets: its declared permissions, as far as they are granted. */
  of(plugin: Plugin, entry: PluginEntry): Grant;
  /** Applies from now on, also after a reload of the plugin. */
  change(plugin: string, change: GrantChange): void;
  /**
   * Calls the listener when a permission is revoked from the plugin. Returns a function that
   * removes the listener.
   */
  onRevoked(plugin: string, listener: () => void): () => void;
}

export interface GrantChange {
  readonly to: 'granted' | 'revoked';
  readonly permission: PermissionReference;
}

/**
 * @param isIsolated whether a plugin's tenants are kept apart. All of them see its mounts, so it gets
 * the mounts read-only: what one tenant writes, another could read
 */
export function makeGrants(
  policy: GrantPolicy,
  isIsolated: (plugin: string) => boolean = () => false,
): Grants {
  const changes = new Map<string, readonly GrantChange[]>();
  const listeners = new Map<string, Set<() => void>>();
  return {
    request: (plugin, entry) => {
      const { undeclared } = entry;
      if (undeclared === undefined) return entry;
      const granted = policyFor(policy, plugin);
      const asked = typeof granted === 'string' ? entry.declared : permissionsOf(granted, entry);
      const declared = (changes.get(plugin.id) ?? []).reduce(
        (held, change) => (change.to === 'granted' ? applyChange(held, change, EVERY) : held),
        asked,
      );
      if (undeclared === true) return { ...entry, declared };
      // The kinds that the author did declare stay as declared.
      const both = makePermissions((name) =>
        scopesOf(undeclared.includes(name) ? declared : entry.declared, name),
      );
      return { ...entry, declared: both };
    },
    of: (plugin, entry) => {
      const granted = permissionsOf(policyFor(policy, plugin), entry);
      const changed = (changes.get(plugin.id) ?? []).reduce(
        (held, change) => applyChange(held, change, entry.declared),
        granted,
      );
      // guard: mounts-of-tenants-read-only
      const held = isIsolated(plugin.id) ? withReadOnlyMounts(changed) : changed;
      return makeGrant(entry.declared, held);
    },
    change: (plugin, change) => {
      // A repeated change moves to the end. The opposite changes stay, because they may have
      // revoked more than this one grants.
      const before = (changes.get(plugin) ?? []).filter((one) => !isSame(one, change));
      changes.set(plugin, [...before, change]);
      if (change.to === 'revoked') for (const listener of listeners.get(plugin) ?? []) listener();
    },
    onRevoked: (plugin, listener) => {
      const all = listeners.get(plugin) ?? new Set();
      listeners.set(plugin, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(plugin) === all) listeners.delete(plugin);
      };
    },
  };
}

function withReadOnlyMounts(held: Permissions): Permissions {
  const readOnly = held.fs.map((text) =>
    filesystem.format({ ...filesystem.parse(text), isWritable: false }),
  );
  return { ...held, fs: [...new Set(readOnly)] };
}

function isSame(one: GrantChange, other: GrantChange): boolean {
  const { kind, scope } = one.permission;
  return one.to === other.to && kind === other.permission.kind && scope === other.permission.scope;
}

/** What "all of a kind" grants without a declaration: only the kinds without scopes. */
const EVERY: Permissions = { ...NOTHING, time: true, random: true, storage: true };

/**
 * A grant adds this scope, or everything declared of the kind. A revocation removes every scope
 * that overlaps with this one, so that nothing of the revoked scope is left.
 */
function applyChange(
  held: Permissions,
  { to, permission: { kind, scope } }: GrantChange,
  declared: Permissions,
): Permissions {
  const changed = (scopes: readonly string[]): readonly string[] => {
    const added = scope === undefined ? scopesOf(declared, kind) : [scope];
    if (to === 'granted') return [...new Set([...scopes, ...added])];
    if (scope === undefined) return [];
    return scopes.filter((text) => scopeTexts[kind].intersect([text], [scope]).length === 0);
  };
  return makePermissions((name) =>
    name === kind ? changed(scopesOf(held, name)) : scopesOf(held, name),
  );
}

/** The policy for one plugin. */
export function policyFor(policy: GrantPolicy, plugin: Plugin): PluginGrant {
  if (typeof policy === 'string') return policy;
  if (typeof policy === 'function') {
    const granted = policy(plugin);
    checkPluginGrant(granted, `the grant for ${plugin.id}`);
    return granted;
  }
  // A plugin that the host does not name gets no permissions, whatever its id is.
  // guard: unlisted-plugin-gets-nothing
  return Object.hasOwn(policy, plugin.id) ? (policy[plugin.id] ?? 'nothing') : 'nothing';
}

function permissionsOf(granted: PluginGrant, entry: PluginEntry): Permissions {
  if (granted === 'declared') return entry.declared;
  if (granted === 'nothing') return NOTHING;
  const { declared = false, ...permissions } = granted;
  const named = { ...NOTHING, ...permissions };
  return declared ? unionOf([entry.declared, named]) : named;
}
