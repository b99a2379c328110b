import type { PermissionName, Permissions } from '../permissions/kind.js';
import { makePermissions, scopesOf } from '../permissions/permissions.js';
import { permissionKinds, permissionNames, scopeTexts } from '../permissions/table.js';
import { array, isObject, type Shape, wrong } from '../schema/shape.js';

/** Permissions as people write them: only the kinds that are held, by the words of manifests. */
export type CompactPermissions = Readonly<Record<string, true | readonly string[]>>;

export function compact(permissions: Permissions): CompactPermissions {
  return Object.fromEntries(
    permissionNames.flatMap((name): [string, true | readonly string[]][] => {
      const scopes = scopesOf(permissions, name);
      if (scopes.length === 0) return [];
      const { written } = permissionKinds[name];
      const isHeld = typeof permissions[name] === 'boolean';
      return [[written, isHeld ? true : scopes.toSorted()]];
    }),
  );
}

/** The other way. A word that is no kind of permission is nothing here: `compactShape` refuses it. */
export function expand(written: CompactPermissions): Permissions {
  return makePermissions((name) => {
    const value = written[permissionKinds[name].written];
    return value === undefined ? [] : value === true ? ['true'] : value;
  });
}

/** Reads permissions that somebody may have edited. */
export const compactShape: Shape<CompactPermissions> = {
  read: (value, at, problems) => {
    if (!isObject(value)) return wrong('an object', value, at, problems);
    const entries: [string, true | readonly string[]][] = [];
    for (const [word, scopes] of Object.entries(value)) {
      const name = kindOf(word);
      if (name === undefined) problems.push(`${at}.${word}: is no kind of permission`);
      else if (scopes === true) entries.push([word, true]);
      else {
        const list = array(scopeOf(name)).read(scopes, `${at}.${word}`, problems);
        if (list !== undefined) entries.push([word, list.value]);
      }
    }
    return { value: Object.fromEntries(entries) };
  },
};

/** A scope as the kind reads it: what it cannot read must not get as far as a grant. */
function scopeOf(name: PermissionName): Shape<string> {
  return {
    read: (value, at, problems) => {
      if (typeof value !== 'string') return wrong('a text', value, at, problems);
      try {
        return { value: scopeTexts[name].normalise(value) };
      } catch (error) {
        problems.push(`${at}: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
      }
    },
  };
}

function kindOf(word: string): PermissionName | undefined {
  return permissionNames.find((name) => permissionKinds[name].written === word);
}
