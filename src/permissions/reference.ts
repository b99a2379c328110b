import { type PermissionName, type Permissions, invalidPermission } from './kind.js';
import { makePermissions, scopesOf } from './permissions.js';
import { kindNamed, whichKind } from './kind-names.js';
import { scopeTexts } from './table.js';

/** A whole kind of permission, or one scope of it. */
export interface PermissionReference {
  readonly kind: PermissionName;
  /** The normalized scope; `undefined`: all scopes of the kind. */
  readonly scope: string | undefined;
}

/**
 * Reads a kind and an optional scope: `network`,
 * `network:api.example.com`, `fs:./pages`, `env:API_KEY`. Also accepts a bare name of `powerNames`, as
 * Spindle writes them. Throws `INVALID_PERMISSION`.
 */
export function parseReference(
  text: string,
  powerNames: readonly string[] = [],
): PermissionReference {
  const at = text.indexOf(':');
  const word = at < 0 ? text : text.slice(0, at);
  const kind = kindNamed(word);
  if (kind === undefined && powerNames.includes(text)) return { kind: 'powers', scope: text };
  if (kind === undefined) {
    throw invalidPermission(
      'known',
      text,
      `this kind does not exist. ${whichKind(word)} A scope follows a colon: "network:api.example.com".${powerNames.length === 0 ? '' : ` The plugin declares these powers: ${powerNames.join(', ')}.`}`,
    );
  }
  return { kind, scope: at < 0 ? undefined : scopeTexts[kind].normalise(text.slice(at + 1)) };
}

/** Kinds without scopes. */
const UNSCOPED: ReadonlySet<PermissionName> = new Set(['time', 'random', 'storage']);

/**
 * Reads permissions of a command line: `time`, `network:api.example.com`, `env:API_KEY`, `fs:./data`.
 * Adds the permissions of `base`. Throws `INVALID_PERMISSION`.
 */
export function readPermissions(
  texts: readonly string[],
  base: readonly Permissions[] = [],
): Permissions {
  const read = texts.map((text) => {
    const { kind, scope } = parseReference(text);
    if (scope !== undefined) return { kind, scope };
    if (UNSCOPED.has(kind)) return { kind, scope: 'true' };
    throw invalidPermission(kind, text, 'it needs a scope, like "network:api.example.com".');
  });
  return makePermissions((name) => [
    ...new Set([
      ...base.flatMap((permissions) => scopesOf(permissions, name)),
      ...read.flatMap(({ kind, scope }) => (kind === name ? [scope] : [])),
    ]),
  ]);
}
