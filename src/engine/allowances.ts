import { BulkheadError } from '../errors.js';
import type { Changes } from '../lock/changes.js';
import { compact, expand } from '../lock/compact.js';
import type { LockedPlugin } from '../lock/lock.js';
import { effectivePermissions } from '../permissions/grant.js';
import { choosePermissions, type PermissionChoice } from '../permissions/choice.js';
import type { Permissions } from '../permissions/kind.js';
import { makePermissions, scopesOf, unionOf } from '../permissions/permissions.js';
import type { Inspection } from './inspect-plugin.js';

/**
 * The permissions that the operator's choice gives the plugin: without one, all that it declares. Throws
 * `INVALID_PERMISSION` for a permission that it does not declare, unless its system cannot declare it.
 */
export function allowances(inspected: Inspection, choice: PermissionChoice): Permissions {
  const { plugin } = inspected;
  return choosePermissions(inspected, choice, (text) => {
    throw new BulkheadError(
      'INVALID_PERMISSION',
      `${text} cannot be allowed to ${plugin.id}: ${plugin.manifest} does not declare it.`,
      { kind: 'known', text },
    );
  });
}

/**
 * The permissions of an update: the previous grant, plus the new permissions that the operator
 * accepts. A previously withheld permission stays withheld.
 */
export function grantedAfter(
  locked: LockedPlugin,
  examined: Inspection,
  { permissions }: Changes,
  allowed: readonly string[],
): Permissions {
  const before = expand(locked.granted);
  const wider = makePermissions((name) =>
    permissions.wider.flatMap(({ kind, scope }) => (kind === name ? [scope] : [])),
  );
  const more = allowed.length === 0 ? [] : [allowances(examined, { only: allowed })];
  const all = unionOf([before, wider, ...more]);
  const { undeclared } = examined;
  if (undeclared === true) return all;
  // Expressed in the new manifest's scopes, so a scope that another one covers is not repeated.
  const held = expand(compact(effectivePermissions(examined.declared, all)));
  return makePermissions((name) => scopesOf(undeclared.includes(name) ? all : held, name));
}
