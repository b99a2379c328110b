import type { Permissions } from '../../permissions/kind.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import { isObject, readShape } from '../../schema/shape.js';
import { permissionsShape } from '../pandora/manifest.js';
import { readPandoraPermissions } from '../pandora/permissions.js';

export interface Declaration {
  readonly entry: Pick<PluginEntry, 'declared' | 'undeclared'>;
  readonly problems: readonly string[];
}

/**
 * Reads `"bulkhead": { "permissions": { … } }` of a package, in the words of Pandora's manifest.
 * Vellum itself has no permissions: a package without the key is taken to ask for what that system
 * gives every plugin and that reaches nobody else, the time, dice and a data directory of its own.
 * A key that cannot be read asks for nothing, and is a problem.
 */
export function readDeclaration(bulkhead: unknown): Declaration {
  if (bulkhead === undefined) {
    return { entry: { declared: USUAL, undeclared: true }, problems: [] };
  }
  if (!isObject(bulkhead)) return nothing(['bulkhead: must be an object']);
  const written = readShape(permissionsShape, bulkhead['permissions'] ?? {}, AT);
  if (!written.ok) return nothing(written.problems.map((problem) => `${AT}.${problem}`));
  const { permissions, problems } = readPandoraPermissions(written.value, AT);
  return { entry: { declared: permissions }, problems };
}

const USUAL: Permissions = { ...NO_PERMISSIONS, time: true, random: true, storage: true };

const AT = 'bulkhead.permissions';

function nothing(problems: readonly string[]): Declaration {
  return { entry: { declared: NO_PERMISSIONS }, problems };
}
