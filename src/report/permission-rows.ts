import type { PermissionName, Permissions } from '../permissions/kind.js';
import { makeNetworkTable } from '../permissions/network.js';
import { scopesOf } from '../permissions/permissions.js';
import { permissionNames, scopeTexts } from '../permissions/table.js';
import type { Pin } from './pins.js';
import type { PermissionReport, UndeclaredReport } from './report.js';
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
export function safeScopes(permissions: Permissions, kind: PermissionName): readonly string[] {
  const value: unknown = permissions[kind];
  return value === undefined ? [] : scopesOf(permissions, kind);
}

/** What leads outside first, what only differs from run to run last. */
const FIRST: readonly PermissionName[] = ['network', 'fs', 'env', 'storage', 'powers'];

function inOrder(): readonly PermissionName[] {
  return [...FIRST, ...permissionNames.filter((name) => !FIRST.includes(name))];
}

/** Kinds whose uses pass through the host. The others are used inside the guest, unseen. */
export const OBSERVED: ReadonlySet<PermissionName> = new Set([
  'network',
  'fs',
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
    case 'fs':
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

/** Whether one of the scopes allows what was asked for. */
export function allows(kind: PermissionName, wanted: string, scopes: readonly string[]): boolean {
  if (kind === 'env') return scopes.some((scope) => covers(kind, scope, wanted));
  return scopeOfUse(kind, wanted, scopes) !== undefined;
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
      const kind = permissionNames.find((name) => name === permission);
      return kind === undefined ? [] : [{ kind, scope, at }];
    }),
    ...(pin?.hosts ?? []).map((scope): UndeclaredReport => ({ kind: 'network', scope, at: null })),
  ];
  const missing = rows.filter(({ kind, scope }) => !isCovered(kind, scope, declared));
  return [
    ...new Map(missing.toReversed().map((row) => [`${row.kind} ${row.scope}`, row])).values(),
  ];
}

function isCovered(kind: PermissionName, scope: string, declared: Held['declared']): boolean {
  try {
    return declared.some((one) => {
      const held: unknown = one[kind];
      const scopes = Array.isArray(held) ? one[kind] : [];
      return held === true || (Array.isArray(scopes) && anyCovers(kind, scopes, scope));
    });
  } catch {
    // What was read out of code may be no permission that can be written.
    return true;
  }
}

function anyCovers(kind: PermissionName, held: readonly string[], wanted: string): boolean {
  return held.some((one) => scopeTexts[kind].beyond([one], [wanted]).length === 0);
}
