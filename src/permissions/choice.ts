import { invalidPermission, type PermissionName, type Permissions } from './kind.js';
import { makePermissions, scopesOf, unionOf } from './permissions.js';
import { parseReference } from './reference.js';
import { scopeTexts } from './table.js';

/** What a plugin requests. */
export interface PermissionRequest {
  readonly declared: Permissions;
  /** The kinds that its system cannot declare: `true` for all. The operator decides about these. */
  readonly undeclared: true | readonly PermissionName[];
}

/** What the operator chooses on the command line, as `parseReference` reads it. */
export interface PermissionChoice {
  /** In addition to the request. A declared kind stays as declared. */
  readonly allow?: readonly string[] | undefined;
  /** Only these of the request. Default: the whole request. */
  readonly only?: readonly string[] | undefined;
}

/** The request of several entries of one plugin. */
export function unionOfRequests(
  requests: readonly {
    readonly declared: Permissions;
    readonly undeclared?: true | readonly PermissionName[];
  }[],
): PermissionRequest {
  return {
    declared: unionOf(requests.map(({ declared }) => declared)),
    undeclared:
      requests.some(({ undeclared }) => undeclared === true) ||
      requests.flatMap(({ undeclared = [] }) => (undeclared === true ? [] : undeclared)),
  };
}

/**
 * The permissions that the operator gives: the request or a part of it, and more. `onUnusable` gets
 * each text that gives the plugin nothing, because it does not declare it. Throws
 * `INVALID_PERMISSION` for a text that is not a permission.
 */
export function choosePermissions(
  request: PermissionRequest,
  { allow = [], only }: PermissionChoice,
  onUnusable: (text: string) => void,
): Permissions {
  const { declared, undeclared } = request;
  const scopesFor = (kind: PermissionName, scope: string | undefined): readonly string[] => {
    const scopes = scopesOf(declared, kind);
    if (scope === undefined) return scopes;
    return undeclared === true || undeclared.includes(kind)
      ? [scope]
      : scopeTexts[kind].intersect(scopes, [scope]);
  };
  const read = (text: string, adds: boolean): readonly (readonly [PermissionName, string])[] => {
    const { kind, scope } = parseReference(text);
    const named = scope ?? (UNSCOPED.has(kind) ? 'true' : undefined);
    if (adds && named === undefined) {
      throw invalidPermission(kind, text, 'it needs a scope, like "network:api.example.com".');
    }
    const scopes = scopesFor(kind, named);
    if (scopes.length === 0) onUnusable(text);
    return scopes.map((one) => [kind, one]);
  };
  const chosen = [
    ...(only ?? []).flatMap((text) => read(text, false)),
    ...allow.flatMap((text) => read(text, true)),
  ];
  return makePermissions((name) => [
    ...new Set([
      ...(only === undefined ? scopesOf(declared, name) : []),
      ...chosen.flatMap(([kind, scope]) => (kind === name ? [scope] : [])),
    ]),
  ]);
}

/** Kinds without scopes. */
const UNSCOPED: ReadonlySet<PermissionName> = new Set(['time', 'random', 'storage']);
