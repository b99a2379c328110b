import type { PermissionName } from '../permissions/kind.js';
import { permissionKinds, permissionNames, scopeTexts } from '../permissions/table.js';
import type { Held } from './permission-rows.js';
import type { Pin } from './pins.js';
import type { UndeclaredReport } from './report.js';

/** One thing that code was read to need, as `bulkhead inspect --suggest` tells it. */
export interface Suggested {
  /** As manifests write the kind: `fs`, `env`. */
  readonly permission: string;
  readonly scope: string;
  readonly at: string;
}

/** What code needs, by its own words, and its manifest does not ask for: each once. */
export function undeclaredIn(
  suggested: readonly Suggested[],
  pin: Pin | undefined,
  { declared }: Held,
): UndeclaredReport[] {
  const rows = [
    ...suggested.flatMap(({ permission, scope, at }): UndeclaredReport[] => {
      const kind = permissionNames.find((name) => permissionKinds[name].written === permission);
      return kind === undefined ? [] : [{ kind, scope, at }];
    }),
    ...(pin?.hosts ?? []).map((scope): UndeclaredReport => ({ kind: 'network', scope, at: null })),
  ];
  const missing = rows.filter(({ kind, scope }) => !isDeclared(kind, scope, declared));
  return [
    ...new Map(missing.toReversed().map((row) => [`${row.kind} ${row.scope}`, row])).values(),
  ];
}

function isDeclared(kind: PermissionName, scope: string, declared: Held['declared']): boolean {
  try {
    return declared.some((one) => {
      const held: unknown = one[kind];
      const scopes = Array.isArray(held) ? one[kind] : [];
      return held === true || (Array.isArray(scopes) && covers(kind, scopes, scope));
    });
  } catch {
    // What was read out of code may be no permission that can be written.
    return true;
  }
}

function covers(kind: PermissionName, held: readonly string[], wanted: string): boolean {
  return held.some((one) => scopeTexts[kind].beyond([one], [wanted]).length === 0);
}
