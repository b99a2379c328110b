import { isBulkheadError } from '../errors.js';
import type { PermissionName, Permissions } from './kind.js';
import { makePermissions } from './permissions.js';
import { scopeTexts } from './table.js';

/** Permissions as the author wrote them, not yet validated. */
export type WrittenPermissions = {
  readonly [Name in PermissionName]?: boolean | readonly string[] | undefined;
};

/** Scopes of one kind. A plugin with more scopes should use a wildcard or a directory. */
export const MAX_SCOPES = 256;

/**
 * Reads declared permissions. An invalid scope grants nothing and is reported with its place
 * (`permissions.network[1]: …`). The other scopes still apply, so that tools without it still work.
 */
export function readDeclared(
  written: WrittenPermissions,
  at: string,
): { readonly permissions: Permissions; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const permissions = makePermissions((name) => {
    const texts = listOf(written[name]);
    if (texts.length === 0) return texts;
    const place = `${at}.${name}`;
    if (texts.length > MAX_SCOPES) {
      problems.push(
        `${place}: has ${texts.length} scopes; those after ${MAX_SCOPES} are ignored. Use a wildcard or a directory`,
      );
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
