import type { Permissions } from './kind.js';
import { makePermissions, scopesOf } from './permissions.js';
import { permissionNames, scopeTexts } from './table.js';

/**
 * What a plugin may do: declared ∩ granted, kind by kind. Neither side can add to the other.
 * Throws `INVALID_PERMISSION` where either holds a text that its kind cannot read.
 */
export function effectivePermissions(declared: Permissions, granted: Permissions): Permissions {
  return makePermissions((name) =>
    scopeTexts[name].intersect(scopesOf(declared, name), scopesOf(granted, name)),
  );
}

/**
 * Whether `held` is enough for everything in `wanted`. Each wanted scope has to be covered by one
 * held scope: two that only together would do do not count, which errs on the side of asking.
 */
export function coversAll(held: Permissions, wanted: Permissions): boolean {
  return permissionNames.every(
    (name) => scopeTexts[name].beyond(scopesOf(held, name), scopesOf(wanted, name)).length === 0,
  );
}
