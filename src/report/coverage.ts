import type { PermissionName } from '../permissions/kind.js';
import { makeNetworkTable } from '../permissions/network-table.js';
import { scopeTexts } from '../permissions/table.js';

/** Kinds whose uses pass through the host. The others are used inside the guest, unseen. */
export const OBSERVED: ReadonlySet<PermissionName> = new Set([
  'network',
  'filesystem',
  'storage',
  'powers',
]);

/** Which of the scopes a use falls under, by what was asked for. */
export function scopeOfUse(
  kind: PermissionName,
  wanted: string,
  scopes: readonly string[],
): string | undefined {
  if (scopes.length === 0) return undefined;
  switch (kind) {
    case 'network':
      return scopeOfRequest(wanted, scopes);
    case 'filesystem':
      return scopes.find((scope) => covers(kind, scope, pathOf(wanted)));
    case 'powers':
      return (
        scopes.find((scope) => wanted === scope || wanted.startsWith(`${scope} `)) ??
        scopes.find((scope) => wanted.includes(scope))
      );
    default:
      return scopes[0];
  }
}

/** `GET https://api.example.com/path` */
function scopeOfRequest(wanted: string, scopes: readonly string[]): string | undefined {
  const [method = '', url = ''] = wanted.split(' ');
  if (!URL.canParse(url)) return undefined;
  try {
    return makeNetworkTable(scopes)(new URL(url), method);
  } catch {
    // A log is a file, and what it says was granted may be no permission.
    return undefined;
  }
}

/** A path as it is recorded: the plugin's own, as a JSON string. */
function pathOf(wanted: string): string {
  try {
    const path: unknown = JSON.parse(wanted);
    return typeof path === 'string' ? path : wanted;
  } catch {
    return wanted;
  }
}

function covers(kind: PermissionName, held: string, wanted: string): boolean {
  try {
    return scopeTexts[kind].beyond([held], [wanted]).length === 0;
  } catch {
    return false;
  }
}

export function explainScope(kind: PermissionName, scope: string): string {
  try {
    return scopeTexts[kind].explain(scope);
  } catch {
    return `${kind} ${scope}`;
  }
}
