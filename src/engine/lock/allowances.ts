import { BulkheadError } from '../../errors.js';
import type { Changes } from '../../lock/changes.js';
import { compact, expand } from '../../lock/compact.js';
import type { LockedPlugin } from '../../lock/lock.js';
import { effectivePermissions } from '../../permissions/effective.js';
import type { Permissions } from '../../permissions/kind.js';
import { makePermissions, scopesOf } from '../../permissions/permissions.js';
import { parseReference, type PermissionReference } from '../../permissions/reference.js';
import { scopeTexts } from '../../permissions/table.js';
import { type Examined, unionOf } from './examine.js';

/**
 * What a plugin is granted where an operator allows these (`network:api.example.com`, `fs`), each a
 * kind or a scope of it; without any, all that it declares. Throws `INVALID_PERMISSION` for what it
 * does not declare, unless its system has no place for declaring anything.
 */
export function allowances(examined: Examined, allowed: readonly string[]): Permissions {
  if (allowed.length === 0) return examined.declared;
  const references = allowed.map((text) => ({ text, ...parseReference(text) }));
  return makePermissions((name) => [
    ...new Set(
      references.flatMap((one) => (one.kind === name ? scopesFor(examined, one, one.text) : [])),
    ),
  ]);
}

function scopesFor(
  { declared, undeclared, plugin }: Examined,
  { kind, scope }: PermissionReference,
  text: string,
): readonly string[] {
  if (undeclared) {
    const isHeld = typeof declared[kind] === 'boolean';
    if (scope !== undefined || isHeld) return [scope ?? 'true'];
    throw notDeclared(plugin.id, text, `name its scopes, as in ${text}:…`);
  }
  const scopes = scopesOf(declared, kind);
  const held = scope === undefined ? scopes : scopeTexts[kind].intersect(scopes, [scope]);
  if (held.length > 0) return held;
  throw notDeclared(plugin.id, text, `${plugin.manifest} does not declare it`);
}

/**
 * What an update is granted: what its plugin was, and what somebody accepts of what it asks for now.
 * Where it had been granted less than it declared it stays at that.
 */
export function grantedAfter(
  locked: LockedPlugin,
  examined: Examined,
  { permissions }: Changes,
  allowed: readonly string[],
): Permissions {
  const before = expand(locked.granted);
  const wider = makePermissions((name) =>
    permissions.wider.flatMap(({ kind, scope }) => (kind === name ? [scope] : [])),
  );
  const more = allowed.length === 0 ? [] : [allowances(examined, allowed)];
  const all = unionOf([before, wider, ...more]);
  if (examined.undeclared) return all;
  // Said in the words of the new manifest: a scope that another covers is not there twice.
  return expand(compact(effectivePermissions(examined.declared, all)));
}

function notDeclared(id: string, text: string, why: string): BulkheadError<'INVALID_PERMISSION'> {
  return new BulkheadError('INVALID_PERMISSION', `${text} cannot be allowed to ${id}: ${why}.`, {
    kind: 'known',
    text,
  });
}
