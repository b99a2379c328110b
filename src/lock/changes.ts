import { diffPermissions, type PermissionDiff } from '../permissions/diff.js';
import { exceeds } from '../plugin/risk.js';
import { expand } from './compact.js';
import type { LockedTool, Pin } from './lock.js';

/** What differs between what was accepted and what is there now. */
export interface Changes {
  readonly version?: { readonly from: string | undefined; readonly to: string | undefined };
  /** Entries whose code changed, came or went. */
  readonly code: readonly string[];
  /** What it declares, against what it declared. */
  readonly permissions: PermissionDiff;
  /** Hosts that its code names now, and did not, and the other way round. */
  readonly hosts: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly tools: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly ToolChange[];
  };
  /** It asks now to run without a compartment. */
  readonly unconfined: boolean;
  /** Something else in its manifest. */
  readonly manifest: boolean;
}

export interface ToolChange {
  readonly tool: string;
  readonly what: readonly ('description' | 'schema' | 'risk' | 'approval')[];
  /** It says that it is less risky, or asks no longer. */
  readonly milder: boolean;
}

export type Described = Pick<
  Pin,
  'version' | 'bundles' | 'tools' | 'hosts' | 'kept' | 'granted' | 'declared' | 'unconfined'
>;

/** `after` is what is there now, declaring what it does. */
export function changesBetween(before: Described, after: Described): Changes {
  const code = [...new Set([...Object.keys(before.bundles), ...Object.keys(after.bundles)])].filter(
    (key) => before.bundles[key] !== after.bundles[key],
  );
  const permissions = diffPermissions(declaredBy(before), declaredBy(after));
  const hosts = compareLists(before.hosts, after.hosts);
  const tools = compareTools(before.tools, after.tools);
  const unconfined = after.unconfined === true && before.unconfined !== true;
  const seen =
    code.length > 0 ||
    before.version !== after.version ||
    permissions.wider.length > 0 ||
    permissions.narrower.length > 0;
  return {
    ...(before.version === after.version
      ? {}
      : { version: { from: before.version, to: after.version } }),
    code,
    permissions,
    hosts,
    tools,
    unconfined,
    manifest: !seen && !unconfined && before.kept !== after.kept,
  };
}

export function isChanged(changes: Changes): boolean {
  const { version, code, permissions, tools, unconfined, manifest } = changes;
  return (
    version !== undefined ||
    code.length > 0 ||
    permissions.wider.length > 0 ||
    permissions.narrower.length > 0 ||
    tools.added.length + tools.removed.length + tools.changed.length > 0 ||
    unconfined ||
    manifest
  );
}

/** Why somebody has to say yes to the changes; empty where nothing got wider. */
export function reasonsToReview({
  permissions,
  hosts,
  tools,
  unconfined,
}: Changes): readonly string[] {
  return [
    ...permissions.wider.map(({ sentence }) => `it asks for more: ${sentence}`),
    ...hosts.added.map((host) => `its code names a host that it did not: ${host}`),
    ...tools.changed
      .filter(({ milder }) => milder)
      .map(({ tool }) => `its tool ${tool} calls itself less risky, or asks no longer`),
    ...(unconfined ? ['it asks to run without a compartment'] : []),
  ];
}

function declaredBy({ declared, granted }: Described): ReturnType<typeof expand> {
  return expand(declared ?? granted);
}

function compareLists(
  before: readonly string[],
  after: readonly string[],
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  return {
    added: after.filter((one) => !before.includes(one)),
    removed: before.filter((one) => !after.includes(one)),
  };
}

function compareTools(before: Described['tools'], after: Described['tools']): Changes['tools'] {
  const names = compareLists(Object.keys(before), Object.keys(after));
  const changed = Object.entries(after).flatMap(([tool, now]): ToolChange[] => {
    const was = Object.hasOwn(before, tool) ? before[tool] : undefined;
    if (was === undefined) return [];
    const what = whatChanged(was, now);
    const milder = exceeds(was.risk, now.risk) || (was.asks === true && now.asks !== true);
    return what.length === 0 ? [] : [{ tool, what, milder }];
  });
  return { ...names, changed };
}

function whatChanged(was: LockedTool, now: LockedTool): ToolChange['what'] {
  return [
    ...(was.description === now.description ? [] : ['description' as const]),
    ...(was.schema === now.schema ? [] : ['schema' as const]),
    ...(was.risk === now.risk ? [] : ['risk' as const]),
    ...(was.asks === now.asks ? [] : ['approval' as const]),
  ];
}
