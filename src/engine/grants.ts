import { type Grant, makeGrant } from '../permissions/grant.js';
import type { Permissions } from '../permissions/kind.js';
import { NO_PERMISSIONS } from '../permissions/permissions.js';
import type { Plugin, PluginEntry } from '../plugin/plugin.js';
import type { GrantPolicy, PluginGrant } from './options.js';

/** No permission at all. */
export const NOTHING: Permissions = NO_PERMISSIONS;

/** What an entry gets: what it declared, as far as the host's policy grants it. */
export function grantTo(policy: GrantPolicy, plugin: Plugin, entry: PluginEntry): Grant {
  return makeGrant(entry.declared, permissionsOf(policyFor(policy, plugin), entry));
}

/**
 * The entry with what it asks for. Where its system has no place for permissions, the request is
 * what the host's policy says of this plugin, permission by permission.
 */
export function withRequest(policy: GrantPolicy, plugin: Plugin, entry: PluginEntry): PluginEntry {
  if (entry.undeclared !== true) return entry;
  const granted = policyFor(policy, plugin);
  return typeof granted === 'string'
    ? entry
    : { ...entry, declared: permissionsOf(granted, entry) };
}

function policyFor(policy: GrantPolicy, plugin: Plugin): PluginGrant {
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
