import { type PermissionDiff, diffPermissions } from '../permissions/permissions.js';
import { exceeds } from '../plugin/risk.js';
import { expand } from './compact.js';
import type { LockedTool, Pin } from './lock.js';
import {
  type DescribedPackage,
  type PackageChange,
  packageChanges,
  packageReasons,
} from './locked-packages.js';

/** The differences between the accepted version of a plugin and the current one. */
export interface Changes {
  readonly version?: { readonly from: string | undefined; readonly to: string | undefined };
  /** Entries whose code was changed, added or removed. */
  readonly code: readonly string[];
  /** The changes of the declared permissions. */
  readonly permissions: PermissionDiff;
  /** The hosts that the code names. */
  readonly hosts: { readonly added: readonly string[]; readonly removed: readonly string[] };
  readonly tools: {
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly changed: readonly ToolChange[];
  };
  /** The current version requests to run without a compartment; the accepted one did not. */
  readonly unconfined: boolean;
  /** Another key signed it, or none: a wider request. */
  readonly signer?: { readonly from: string | undefined; readonly to: string | undefined };
  /** The npm packages that changed, if they run separately. */
  readonly packages: readonly PackageChange[];
  /** The packages ran separately, and now run as one bundle with all that the plugin may do. */
  readonly packagesTogether: boolean;
  /** The files that it may read changed, and nothing that runs. */
  readonly files: boolean;
  /** Another part of the manifest changed. */
  readonly manifest: boolean;
}

export interface ToolChange {
  readonly tool: string;
  readonly what: readonly ToolPart[];
  /** The tool declares a lower risk, or no longer requires approval. */
  readonly lessStrict: boolean;
  /** The changed texts. `before` is absent if the accepted artifact is not stored on this machine. */
  readonly texts?: readonly TextChange[];
}

type ToolPart = 'description' | 'schema' | 'hints' | 'risk' | 'approval';

/** A text of the plugin's author, before and after. Escape it before display. */
export interface TextChange {
  readonly part: ToolPart;
  readonly before?: string;
  readonly after: string;
}

/** A tool's texts as its author wrote them. */
export interface ToolTexts {
  readonly title: string;
  readonly description: string;
  /** JSON, one member a line. */
  readonly schema: string;
  /** Canonical JSON. */
  readonly hints: string;
}

/** A tool with its texts, if they are known. */
export interface DescribedTool extends LockedTool {
  readonly texts?: ToolTexts;
}

export interface Described extends Pick<
  Pin,
  | 'version'
  | 'bundles'
  | 'hosts'
  | 'artifact'
  | 'files'
  | 'granted'
  | 'declared'
  | 'unconfined'
  | 'signer'
> {
  readonly tools: Readonly<Record<string, DescribedTool>>;
  readonly packages?: Readonly<Record<string, DescribedPackage>>;
}

/** Compares the accepted version (`before`) with the current one (`after`). */
export function changesBetween(before: Described, after: Described): Changes {
  const code = [...new Set([...Object.keys(before.bundles), ...Object.keys(after.bundles)])].filter(
    (key) => before.bundles[key] !== after.bundles[key],
  );
  const permissions = diffPermissions(declaredBy(before), declaredBy(after));
  const hosts = compareLists(before.hosts, after.hosts);
  const tools = compareTools(before.tools, after.tools);
  // A plugin whose packages shared everything before only loses by a separation.
  const packages =
    before.packages === undefined || after.packages === undefined
      ? []
      : packageChanges(before.packages, after.packages);
  const packagesTogether = before.packages !== undefined && after.packages === undefined;
  const unconfined = after.unconfined === true && before.unconfined !== true;
  const isVisible =
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
    ...(before.signer?.id === after.signer?.id
      ? {}
      : { signer: { from: before.signer?.id, to: after.signer?.id } }),
    packages,
    packagesTogether,
    files: before.files !== after.files,
    manifest: !isVisible && !unconfined && before.artifact !== after.artifact,
  };
}

export function isChanged(changes: Changes): boolean {
  const { version, code, permissions, tools, unconfined, signer, manifest } = changes;
  const { packages, packagesTogether } = changes;
  return (
    version !== undefined ||
    code.length > 0 ||
    permissions.wider.length > 0 ||
    permissions.narrower.length > 0 ||
    tools.added.length + tools.removed.length + tools.changed.length > 0 ||
    unconfined ||
    signer !== undefined ||
    packages.length > 0 ||
    packagesTogether ||
    changes.files ||
    manifest
  );
}

/** Why the changes need a review; empty if the plugin does not get more access. */
export function reasonsToReview({
  permissions,
  hosts,
  tools,
  unconfined,
  signer,
  packages,
  packagesTogether,
}: Changes): readonly string[] {
  return [
    ...permissions.wider.map(({ sentence }) => `it requests more: ${sentence}`),
    ...hosts.added.map((host) => `its code names a new host: ${host}`),
    ...tools.changed
      .filter(({ lessStrict }) => lessStrict)
      .map(({ tool }) => `its tool ${tool} declares a lower risk, or no longer requires approval`),
    ...(unconfined ? ['it requests to run without a compartment'] : []),
    // guard: new-signer-reviewed
    ...(signer === undefined ? [] : [signerReason(signer)]),
    ...packageReasons(packages),
    ...(packagesTogether ? ['its packages would get all that the plugin may do'] : []),
  ];
}

function signerReason({ from, to }: NonNullable<Changes['signer']>): string {
  if (to === undefined) return `it is not signed any more (before: ${from})`;
  return from === undefined ? `it is signed by ${to}` : `it is signed by ${to} instead of ${from}`;
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
    const previous = Object.hasOwn(before, tool) ? before[tool] : undefined;
    if (previous === undefined) return [];
    const what = whatChanged(previous, now);
    const lessStrict =
      exceeds(previous.risk, now.risk) ||
      (previous.requiresApproval === true && now.requiresApproval !== true);
    if (what.length === 0) return [];
    const texts = textChanges(previous.texts, now.texts).filter(({ part }) => what.includes(part));
    return [{ tool, what, lessStrict, ...(texts.length === 0 ? {} : { texts }) }];
  });
  return { ...names, changed };
}

function whatChanged(previous: LockedTool, now: LockedTool): ToolChange['what'] {
  return [
    ...(previous.description === now.description ? [] : ['description' as const]),
    ...(previous.schema === now.schema ? [] : ['schema' as const]),
    ...(previous.hints === now.hints ? [] : ['hints' as const]),
    ...(previous.risk === now.risk ? [] : ['risk' as const]),
    ...(previous.requiresApproval === now.requiresApproval ? [] : ['approval' as const]),
  ];
}

function textChanges(
  before: ToolTexts | undefined,
  after: ToolTexts | undefined,
): readonly TextChange[] {
  if (after === undefined) return [];
  const parts = [
    { part: 'description', of: ({ title, description }: ToolTexts) => `${title}\n${description}` },
    { part: 'schema', of: ({ schema }: ToolTexts) => schema },
    { part: 'hints', of: ({ hints }: ToolTexts) => hints },
  ] as const;
  return parts.flatMap(({ part, of }): TextChange[] => {
    const [old, now] = [before && of(before), of(after)];
    if (old === now) return [];
    return [{ part, ...(old === undefined ? {} : { before: old }), after: now }];
  });
}

/**
 * The hosts in the URLs of a bundle's text, for the review. It does not find URLs that the code builds
 * at run time: the grant decides which hosts the plugin reaches.
 */
export function hostsIn(code: string): readonly string[] {
  const hosts = new Set<string>();
  for (const [, host] of code.matchAll(ADDRESS)) {
    if (host === undefined || hosts.size >= MAX_HOSTS || !/\.|^localhost$/i.test(host)) continue;
    const text = `http://${host}`;
    if (URL.canParse(text)) hosts.add(new URL(text).hostname);
  }
  return [...hosts].toSorted();
}

const MAX_HOSTS = 500;

/** The length is bounded, so that the search is linear. */
const ADDRESS = /(?:https?|wss?):\/\/([a-z0-9][a-z0-9.-]{0,252})/gi;
