import { invalidPermission } from './invalid.js';
import type { PermissionName } from './kind.js';
import { permissionKinds, permissionNames, scopeTexts } from './table.js';

/** A whole kind of permission, or one scope of it. */
export interface PermissionReference {
  readonly kind: PermissionName;
  /** As the kind writes it; absent: all of the kind. */
  readonly scope: string | undefined;
}

/**
 * Reads `network`, `network:api.example.com`, `fs:./pages`, `env:API_KEY`: the kind by the word that
 * manifests write or by its name, and its scope. One of `powerNames` may stand alone, as systems that
 * have permissions of their own write them. Throws `INVALID_PERMISSION`.
 */
export function parseReference(
  text: string,
  powerNames: readonly string[] = [],
): PermissionReference {
  const at = text.indexOf(':');
  const word = at < 0 ? text : text.slice(0, at);
  const kind = permissionNames.find(
    (name) => name === word || permissionKinds[name].written === word,
  );
  if (kind === undefined && powerNames.includes(text)) return { kind: 'powers', scope: text };
  if (kind === undefined) {
    const words = permissionNames.map((name) => permissionKinds[name].written);
    throw invalidPermission(
      'known',
      text,
      `there is no such kind. Write one of ${words.join(', ')}, or one scope of it: "network:api.example.com".`,
    );
  }
  return { kind, scope: at < 0 ? undefined : scopeTexts[kind].normalise(text.slice(at + 1)) };
}
