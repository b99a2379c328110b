import type { EntryStatus } from '../../engine/types/status.js';
import { isBulkheadError } from '../../errors.js';
import { coversAll } from '../../permissions/grant.js';
import type { PermissionName, Permissions } from '../../permissions/kind.js';
import { makePermissions } from '../../permissions/permissions.js';
import { permissionNames } from '../../permissions/table.js';
import { type Markup, html } from '../../report/html/markup.js';
import { shellWord } from '../../visible.js';

/**
 * How to grant what was denied, as an option to be pasted. It grants one host or path, and nothing wider.
 * It says so if the option would change nothing. `entries`: those of the plugin, as it is now.
 */
export function grantText(
  permission: string,
  wanted: string,
  entries: readonly EntryStatus[],
): Markup {
  const kind = permissionNames.find((name) => name === permission);
  const scope = kind === undefined ? undefined : scopeOf(kind, wanted);
  if (kind === undefined || scope === undefined) return html`No option grants it.`;
  const option = html`<code
    >--allow ${shellWord(scope === 'true' ? kind : `${kind}:${scope}`)}</code
  >`;
  if (entries.some(({ effective }) => covers(effective, kind, scope))) {
    return html`It has this permission. The request was denied for another reason.`;
  }
  const mayHave = entries.some(
    ({ declared, undeclared = [] }) =>
      undeclared === true || undeclared.includes(kind) || covers(declared, kind, scope),
  );
  if (mayHave || entries.length === 0) return html`To grant it: ${option}`;
  return html`Its manifest does not declare it. After the author declares it: ${option}`;
}

/** The narrowest scope that allows what was wanted. */
function scopeOf(kind: PermissionName, wanted: string): string | undefined {
  switch (kind) {
    case 'network': {
      const [, url = wanted] = /^[A-Z]+ (\S+)$/.exec(wanted) ?? [];
      return URL.canParse(url) ? new URL(url).hostname : undefined;
    }
    case 'fs':
    case 'env':
      return unquoted(wanted);
    case 'powers':
      return undefined;
    default:
      return 'true';
  }
}

/** A wanted text that is not a valid scope is not covered. */
function covers(held: Permissions, kind: PermissionName, scope: string): boolean {
  return orNot(() => coversAll(held, only(kind, [scope])));
}

/** Whether these scopes of a permission allow one host or path. */
export function isGranted(
  kind: PermissionName,
  scopes: readonly string[],
  wanted: string,
): boolean {
  return orNot(() => coversAll(only(kind, scopes), only(kind, [wanted])));
}

function only(kind: PermissionName, scopes: readonly string[]): Permissions {
  return makePermissions((name) => (name === kind ? scopes : []));
}

function orNot(check: () => boolean): boolean {
  try {
    return check();
  } catch (error) {
    if (isBulkheadError(error, 'INVALID_PERMISSION')) return false;
    throw error;
  }
}

/** Paths are recorded as JSON strings. */
function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
