import type { PermissionName, Permissions } from './kind.js';
import { scopesOf } from './permissions.js';
import { permissionNames, scopeTexts } from './table.js';

export interface PermissionChange {
  readonly kind: PermissionName;
  readonly scope: string;
  /** The scope, for a person. */
  readonly sentence: string;
}

export interface PermissionDiff {
  /** What `after` allows and `before` did not: to be reviewed before it runs. */
  readonly wider: readonly PermissionChange[];
  /** What `before` allowed and `after` does not. */
  readonly narrower: readonly PermissionChange[];
}

/** What changed from one version of a plugin, or of a policy, to the next. */
export function diffPermissions(before: Permissions, after: Permissions): PermissionDiff {
  return { wider: changes(before, after), narrower: changes(after, before) };
}

function changes(held: Permissions, wanted: Permissions): readonly PermissionChange[] {
  return permissionNames.flatMap((kind) =>
    scopeTexts[kind]
      .beyond(scopesOf(held, kind), scopesOf(wanted, kind))
      .map((scope) => ({ kind, scope, sentence: scopeTexts[kind].explain(scope) })),
  );
}
