import {
  areInstalledTogether,
  hasUnits,
  readUnits,
  type Unit,
} from '../../../sandbox/wire/units.js';
import { canonicalJson } from '../../canonical.js';
import type { LockedPackage } from '../../lock/locked-packages.js';
import { integrityOf } from '../../plugin/integrity.js';
import { packageOf } from '../../plugin/package-path.js';
import type { Bundle } from '../../plugin/plugin.js';

/** An npm package in a plugin whose packages were built to run separately. */
export interface InspectedPackage extends Pick<
  LockedPackage,
  'version' | 'integrity' | 'together'
> {
  /** All packages that it imports; `.` for the plugin's own files. */
  readonly imports: readonly string[];
  /** Those that its package.json does not name. */
  readonly undeclared: readonly string[];
  /** Its code may add to its own classes while it runs, so other packages can too. */
  readonly open?: true;
  /** Where it uses the standard streams of a program. */
  readonly streams?: string;
  /** Where it reads the arguments of a program. */
  readonly arguments?: string;
}

/** The packages in builds, by directory. `undefined` if no build has them separately. */
export function inspectPackages(
  bundles: readonly Bundle[],
): Readonly<Record<string, InspectedPackage>> | undefined {
  const separate = bundles.filter(({ code }) => hasUnits(code) && !areInstalledTogether(code));
  if (separate.length === 0) return undefined;
  const units = separate.flatMap(({ code }) => readUnits(code));
  const versions = new Map(
    separate.flatMap(({ packages }) => packages.map(({ path, version }) => [path, version])),
  );
  const found = [...versions].map(([path, version]): [string, InspectedPackage] => {
    const own = units.filter((unit) => unit.path === path);
    return [
      path,
      {
        ...(version === undefined ? {} : { version }),
        integrity: packageIntegrity(path, separate),
        ...(own.length === 0 ? { together: true } : {}),
        imports: sortedUnion(own.map(({ imports }) => imports)),
        undeclared: sortedUnion(own.map(({ undeclared }) => undeclared)),
        ...(own.some(({ isOpen }) => isOpen === true) ? { open: true as const } : {}),
        ...firstPlace(own, 'streams'),
        ...firstPlace(own, 'arguments'),
      },
    ];
  });
  return Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function firstPlace(
  units: readonly Unit[],
  use: 'streams' | 'arguments',
): Pick<InspectedPackage, 'streams' | 'arguments'> {
  const place = units.find((unit) => unit[use] !== undefined)?.[use];
  return place === undefined ? {} : { [use]: place };
}

/** sha512 over the names and hashes of a package's files in the builds. */
export function packageIntegrity(path: string, bundles: readonly Pick<Bundle, 'inputs'>[]): string {
  const files = new Map(
    bundles.flatMap(({ inputs }) =>
      inputs.flatMap(({ path: file, hash }) => (packageOf(file) === path ? [[file, hash]] : [])),
    ),
  );
  return integrityOf(canonicalJson([...files].toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function sortedUnion(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].toSorted();
}
