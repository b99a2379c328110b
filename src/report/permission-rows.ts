import type { PermissionName, Permissions } from '../permissions/kind.js';
import { scopesOf } from '../permissions/permissions.js';
import { permissionNames } from '../permissions/table.js';
import { explainScope, OBSERVED, scopeOfUse } from './coverage.js';
import type { PermissionReport } from './report.js';
import type { Usage } from './usage.js';

export interface Held {
  readonly declared: readonly Permissions[];
  readonly granted: readonly Permissions[];
}

/** A row for every scope that is declared or granted, with what the log says of its use. */
export function permissionRows(
  { declared, granted }: Held,
  usage: Usage | undefined,
): PermissionReport[] {
  return inOrder().flatMap((kind) => {
    const isDeclared = new Set(declared.flatMap((one) => safeScopes(one, kind)));
    const isGranted = new Set(granted.flatMap((one) => safeScopes(one, kind)));
    const scopes = [...new Set([...isGranted, ...isDeclared])];
    const uses = (usage?.uses ?? []).filter((use) => use.kind === kind);
    const held = [...isGranted];
    const counted = new Map(scopes.map((scope) => [scope, { count: 0, lastMs: -Infinity }]));
    for (const { wanted, atMs } of uses) {
      const one = counted.get(scopeOfUse(kind, wanted, held) ?? '');
      if (one === undefined) continue;
      one.count += 1;
      one.lastMs = Math.max(one.lastMs, atMs);
    }
    return scopes.map((scope): PermissionReport => {
      const { count = 0, lastMs = -Infinity } = counted.get(scope) ?? {};
      return {
        kind,
        scope,
        sentence: explainScope(kind, scope),
        declared: isDeclared.has(scope),
        granted: isGranted.has(scope),
        observed: OBSERVED.has(kind),
        uses: count,
        lastUsed: lastMs === -Infinity ? null : new Date(lastMs).toISOString(),
        grantedSince: isGranted.has(scope) ? sinceOf(usage, kind, scope) : null,
      };
    });
  });
}

function sinceOf(usage: Usage | undefined, kind: PermissionName, scope: string): string | null {
  const times = [...(usage?.grants.values() ?? [])]
    .filter(({ last }) => safeScopes(last.granted, kind).includes(scope))
    .map(({ sinceMs }) => sinceMs);
  return times.length === 0 ? null : new Date(Math.min(...times)).toISOString();
}

/** A log of another version may know fewer kinds than there are. */
function safeScopes(permissions: Permissions, kind: PermissionName): readonly string[] {
  const value: unknown = permissions[kind];
  return value === undefined ? [] : scopesOf(permissions, kind);
}

/** What leads outside first, what only differs from run to run last. */
const FIRST: readonly PermissionName[] = [
  'network',
  'filesystem',
  'environment',
  'storage',
  'powers',
];

function inOrder(): readonly PermissionName[] {
  return [...FIRST, ...permissionNames.filter((name) => !FIRST.includes(name))];
}
