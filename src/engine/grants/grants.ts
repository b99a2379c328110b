import { type Grant, makeGrant } from '../../permissions/grant.js';
import type { Permissions } from '../../permissions/kind.js';
import { makePermissions, NO_PERMISSIONS, scopesOf } from '../../permissions/permissions.js';
import type { PermissionReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { GrantPolicy, PluginGrant } from '../options/options.js';

/** No permission at all. */
export const NOTHING: Permissions = NO_PERMISSIONS;

/** Who gets what: by the host's policy, and by what the host has changed since. */
export interface Grants {
  /**
   * The entry with what it asks for. Where its system has no place for permissions, the request is
   * what the host says of this plugin, permission by permission.
   */
  request(plugin: Plugin, entry: PluginEntry): PluginEntry;
  /** What an entry gets: what it declared, as far as it is granted. */
  of(plugin: Plugin, entry: PluginEntry): Grant;
  /** Holds from now on, also for a plugin that is read again. */
  change(plugin: string, change: GrantChange): void;
  /** Calls the listener when something is taken from the plugin; returns how to stop. */
  onRevoked(plugin: string, listener: () => void): () => void;
}

export interface GrantChange {
  readonly to: 'granted' | 'revoked';
  readonly permission: PermissionReference;
}

export function makeGrants(policy: GrantPolicy): Grants {
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
      // What its author did say stays as it was said.
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
      return makeGrant(entry.declared, changed);
    },
    change: (plugin, change) => {
      // The same said again counts where it is said last. What was said to the contrary stays: it may
      // have taken more than this gives back.
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

function isSame(one: GrantChange, other: GrantChange): boolean {
  const { kind, scope } = one.permission;
  return one.to === other.to && kind === other.permission.kind && scope === other.permission.scope;
}

/** What "all of a kind" means where nothing is declared: only for the kinds that have no scopes. */
const EVERY: Permissions = { ...NOTHING, time: true, random: true, storage: true };

/**
 * Granted: this scope too, or everything of the kind that is declared. Revoked: every scope that has
 * anything in common with this one, since nothing of what was taken away may be left.
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

/** What a policy says of one plugin. */
export function policyFor(policy: GrantPolicy, plugin: Plugin): PluginGrant {
  if (typeof policy === 'string') return policy;
  if (typeof policy === 'function') return policy(plugin);
  // A plugin that the host does not name gets nothing, whatever its id is.
  return Object.hasOwn(policy, plugin.id) ? (policy[plugin.id] ?? 'nothing') : 'nothing';
}

function permissionsOf(granted: PluginGrant, entry: PluginEntry): Permissions {
  if (granted === 'declared') return entry.declared;
  if (granted === 'nothing') return NOTHING;
  return { ...NOTHING, ...granted };
}
