import type { PackageGrant } from '../../sandbox/wire/methods.js';
import { packageOf } from '../plugin/package-path.js';
import { NAMED_HOST } from './find-permissions.js';
import type { SuggestedItem, Suggestion } from './suggestion.js';

/** A package, what its code uses, and the places of the uses. */
export interface SuggestedPackage {
  /** Its directory in the plugin. */
  readonly path: string;
  readonly grant: PackageGrant;
  readonly items: readonly PackageUse[];
}

/** A use whose scope is only known at run time has no scope. */
export interface PackageUse extends Pick<SuggestedItem, 'permission' | 'why' | 'at'> {
  readonly scope?: string;
}

/** The packages whose code uses permissions, by path. The plugin's own code is not among them. */
export function packagesAmong({
  items,
  open,
}: Pick<Suggestion, 'items' | 'open'>): readonly SuggestedPackage[] {
  const byPackage = new Map<string, PackageUse[]>();
  const uncertain = open.flatMap(({ permission, scope, what, at }) =>
    // A host that the code names is not a use.
    permission === 'none' || what.startsWith(NAMED_HOST)
      ? []
      : [{ permission, ...(scope === undefined ? {} : { scope }), why: what, at }],
  );
  for (const item of [...items, ...uncertain]) {
    const path = packageOf(item.at);
    if (path !== undefined) byPackage.set(path, [...(byPackage.get(path) ?? []), item]);
  }
  return [...byPackage]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, used]) => ({ path, grant: grantFor(used), items: used }));
}

function grantFor(items: readonly PackageUse[]): PackageGrant {
  const kinds = new Set(items.map(({ permission }) => permission));
  const names = items.flatMap(({ permission, scope }) =>
    permission === 'env' && scope !== undefined ? [scope] : [],
  );
  const flags = FLAGS.filter((kind) => kinds.has(kind)).map((kind) => [kind, true] as const);
  return {
    ...Object.fromEntries(flags),
    ...(names.length === 0 ? {} : { env: [...new Set(names)].toSorted() }),
  };
}

const FLAGS = ['time', 'random', 'network', 'fs', 'storage', 'powers'] as const;
