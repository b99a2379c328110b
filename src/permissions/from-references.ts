import { makePermissions, scopesOf } from './permissions.js';
import type { PermissionName, Permissions } from './kind.js';
import { invalidPermission } from './invalid.js';
import { parseReference } from './reference.js';

/** Kinds without scopes. */
const HELD: ReadonlySet<PermissionName> = new Set(['time', 'random', 'storage']);

/**
 * Reads permissions one by one, as people write them on a command line: `time`,
 * `network:api.example.com`, `env:API_KEY`, `fs:./data`. What is `beside` them is added. Throws
 * `INVALID_PERMISSION`.
 */
export function readPermissions(
  texts: readonly string[],
  beside: readonly Permissions[] = [],
): Permissions {
  const read = texts.map((text) => {
    const { kind, scope } = parseReference(text);
    if (scope !== undefined) return { kind, scope };
    if (HELD.has(kind)) return { kind, scope: 'true' };
    throw invalidPermission(kind, text, 'it needs a scope, like "network:api.example.com".');
  });
  return makePermissions((name) => [
    ...new Set([
      ...beside.flatMap((permissions) => scopesOf(permissions, name)),
      ...read.flatMap(({ kind, scope }) => (kind === name ? [scope] : [])),
    ]),
  ]);
}
