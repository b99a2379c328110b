import { isRecord } from '../../sandbox/wire/json.js';
import type { PermissionName, Permissions } from '../permissions/kind.js';
import { makePermissions, scopesOf } from '../permissions/permissions.js';
import { kindNamed, whichKind } from '../permissions/kind-names.js';
import { permissionNames, scopeTexts } from '../permissions/table.js';
import { array, type Shape, wrong } from '../schema/shape.js';
import { messageOf } from '../errors.js';

/** Permissions as the lock file has them: only the granted kinds, by their manifest names. */
export type CompactPermissions = Readonly<Record<string, true | readonly string[]>>;

export function compact(permissions: Permissions): CompactPermissions {
  return Object.fromEntries(
    permissionNames.flatMap((name): [string, true | readonly string[]][] => {
      const scopes = scopesOf(permissions, name);
      if (scopes.length === 0) return [];
      const isUnscoped = typeof permissions[name] === 'boolean';
      return [[name, isUnscoped ? true : scopes.toSorted()]];
    }),
  );
}

/** The inverse of `compact`. Ignores unknown kinds: `compactShape` refuses them. */
export function expand(written: CompactPermissions): Permissions {
  return makePermissions((name) => {
    const value = written[name];
    return value === undefined ? [] : value === true ? ['true'] : value;
  });
}

/** Reads permissions that a person may have edited. */
export const compactShape: Shape<CompactPermissions> = {
  read: (value, at, problems) => {
    if (!isRecord(value)) return wrong('an object', value, at, problems);
    const entries: [string, true | readonly string[]][] = [];
    for (const [word, scopes] of Object.entries(value)) {
      const name = kindNamed(word);
      if (name === undefined)
        problems.push(`${at}.${word}: is not a kind of permission. ${whichKind(word)}`);
      else if (scopes === true) entries.push([word, true]);
      else {
        const list = array(scopeOf(name)).read(scopes, `${at}.${word}`, problems);
        if (list !== undefined) entries.push([word, list.value]);
      }
    }
    return { value: Object.fromEntries(entries) };
  },
};

/** A scope in its normalized form. Reports a scope that its kind cannot read. */
function scopeOf(name: PermissionName): Shape<string> {
  return {
    read: (value, at, problems) => {
      if (typeof value !== 'string') return wrong('a text', value, at, problems);
      try {
        return { value: scopeTexts[name].normalise(value) };
      } catch (error) {
        problems.push(`${at}: ${messageOf(error)}`);
        return undefined;
      }
    },
  };
}
