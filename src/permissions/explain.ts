import type { PermissionName, Permissions } from './kind.js';
import { scopesOf } from './permissions.js';
import { permissionNames, scopeTexts } from './table.js';

/**
 * The permissions as sentences for the person who is asked to approve them. A kind of which nothing
 * is held has its sentence too: what a plugin cannot do is worth as much to know.
 */
export function explainPermissions(permissions: Permissions): string[] {
  return permissionNames.flatMap((name) => {
    const scopes = scopesOf(permissions, name);
    return scopes.length === 0 ? [WITHOUT[name]] : scopes.map(scopeTexts[name].explain);
  });
}

const WITHOUT: Readonly<Record<PermissionName, string>> = {
  time: 'Clock: none.',
  random: 'Random numbers: none.',
  storage: 'Storage: none.',
  environment: 'Environment variables: none.',
  filesystem: 'Files: none.',
  network: 'Network: none.',
  powers: 'Powers of the host: none.',
};
