import { isBulkheadError } from '../errors.js';
import type { PermissionName, Permissions } from './kind.js';
import { makePermissions } from './permissions.js';
import { permissionKinds, scopeTexts } from './table.js';

/** Permissions as an author wrote them: any text, not yet read. */
export type WrittenPermissions = {
  readonly [Name in PermissionName]?: boolean | readonly string[] | undefined;
};

/** Scopes of one kind that are read. Whoever needs more needs a wildcard or a directory. */
export const MAX_SCOPES = 256;

/**
 * Reads what an author declared. A scope that cannot be read grants nothing and is reported under
 * its place (`permissions.network[1]: …`); the others stay, so that one slip does not take down a
 * plugin whose other tools work without it.
 */
export function readDeclared(
  written: WrittenPermissions,
  at: string,
): { readonly permissions: Permissions; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const permissions = makePermissions((name) => {
    const texts = listOf(written[name]);
    if (texts.length === 0) return texts;
    const place = `${at}.${permissionKinds[name].written}`;
    if (texts.length > MAX_SCOPES) {
      problems.push(`${place}: has ${texts.length} scopes; those after ${MAX_SCOPES} are ignored`);
    }
    const read = texts.slice(0, MAX_SCOPES).flatMap((text, index) => {
      try {
        return [scopeTexts[name].normalise(text)];
      } catch (error) {
        if (!isBulkheadError(error, 'INVALID_PERMISSION')) throw error;
        problems.push(`${place}[${index}]: ${error.message}`);
        return [];
      }
    });
    return [...new Set(read)];
  });
  return { permissions, problems };
}

function listOf(written: WrittenPermissions[PermissionName]): readonly string[] {
  if (written === undefined || written === false) return [];
  return written === true ? ['true'] : written;
}
