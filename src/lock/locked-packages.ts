import type { PackageGrant } from '../../sandbox/wire/methods.js';
import { scopeTexts } from '../permissions/table.js';
import { messageOf } from '../errors.js';
import { visible } from '../visible.js';
import {
  array,
  literalTrue,
  object,
  optional,
  record,
  type Shape,
  string,
  wrong,
} from '../schema/shape.js';

/** The npm packages of an accepted plugin, by directory in the plugin (`node_modules/axios`), sorted. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** An npm package of an accepted plugin: its code, and what it may use. */
export interface LockedPackage {
  readonly version?: string;
  /** sha512 over the names and hashes of its bundled files. Its grant counts only for these. */
  readonly integrity: string;
  /** It runs as part of the plugin's own code, with all that the plugin may do. */
  readonly together?: true;
  /** What it may use of the plugin's grant. Default: nothing. */
  readonly granted?: Omit<PackageGrant, 'imports'>;
  /** All packages that it may import; `.` for the plugin's own files. Default: none. */
  readonly imports?: readonly string[];
  /** What its code was seen to use, each with a place in the code. Default: nothing. */
  readonly wants?: PackageWants;
}

/**
 * What the code of a package uses, as text (`time`, `network:api.example.com`, `env:API_KEY`; `network` alone if the
 * host is not known before it runs), each with a place: `node_modules/axios/lib/http.js:14:9`.
 */
export type PackageWants = Readonly<Record<string, string>>;

/** A package of a version that is compared with the accepted one. `wants` is absent if its code was not read. */
export type DescribedPackage = Omit<LockedPackage, 'granted'>;

/** The differences of one package between the accepted version of a plugin and the current one. */
export interface PackageChange {
  /** Its directory in the plugin. */
  readonly package: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** What its code uses and did not use before, with the place. */
  readonly wants: PackageWants;
  /** Packages that it did not import before. Without those that are new themselves, if it is new. */
  readonly imports: readonly string[];
  /** It runs as part of the plugin's own code. */
  readonly together: boolean;
  /** It has permissions, its code changed, and the change was not read. */
  readonly unread: boolean;
}

export function packageChanges(
  before: LockedPackages,
  after: Readonly<Record<string, DescribedPackage>>,
): readonly PackageChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return paths.flatMap((path): PackageChange[] => {
    const old = memberOf(before, path);
    const now = memberOf(after, path);
    if (now === undefined) {
      return [
        {
          package: path,
          change: 'removed',
          wants: {},
          imports: [],
          together: false,
          unread: false,
        },
      ];
    }
    const known = new Set(Object.keys(old?.wants ?? {}));
    const wants = Object.entries(now.wants ?? {}).filter(([want]) => !known.has(want));
    // An edge between two new packages leads to nothing that was accepted before.
    const imports = (now.imports ?? []).filter((other) =>
      old === undefined
        ? memberOf(before, other) !== undefined
        : old.imports?.includes(other) !== true,
    );
    const isSame =
      old?.integrity === now.integrity && (old.together === true) === (now.together === true);
    if (isSame && wants.length === 0 && imports.length === 0) return [];
    return [
      {
        package: path,
        change: old === undefined ? 'added' : 'changed',
        wants: Object.fromEntries(wants),
        imports,
        together: now.together === true,
        unread: now.wants === undefined && Object.keys(old?.granted ?? {}).length > 0,
      },
    ];
  });
}

/** A use as the predicate of a sentence about the package. */
export function describeWant(want: string): string {
  const [, other] = /^imports:(.*)$/s.exec(want) ?? [];
  return other === undefined
    ? `uses ${want}`
    : `imports ${other}, which its package.json does not name`;
}

/** Why the changes of packages need a review; empty if no package gets more. */
export function packageReasons(changes: readonly PackageChange[]): readonly string[] {
  return changes.flatMap(({ package: path, wants, imports, together, unread }) => [
    // guard: package-wants-reviewed
    ...Object.entries(wants).map(
      ([want, at]) => `its package ${path} ${describeWant(want)} (${at})`,
    ),
    // guard: package-edge-reviewed
    ...imports.map((other) => `its package ${path} now imports ${other}`),
    // guard: package-together-reviewed
    ...(together ? [`its package ${path} runs as part of the plugin's own code, and changed`] : []),
    ...(unread ? [`its package ${path} has permissions, and its new code was not read`] : []),
  ]);
}

/** The packages that run as part of the plugin's own code. */
export function togetherOf(packages: LockedPackages): readonly string[] {
  return Object.entries(packages).flatMap(([path, { together }]) => (together ? [path] : []));
}

/** As the lock file has them. */
export function writtenPackages(packages: LockedPackages): LockedPackages {
  return Object.fromEntries(
    Object.entries(packages)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, { version, integrity, together, granted = {}, imports = [], wants = {} }]) => [
        path,
        {
          ...(version === undefined ? {} : { version }),
          integrity,
          ...(together === undefined ? {} : { together }),
          ...(Object.keys(granted).length === 0 ? {} : { granted }),
          ...(imports.length === 0 ? {} : { imports: imports.toSorted() }),
          ...(Object.keys(wants).length === 0 ? {} : { wants: sorted(wants) }),
        },
      ]),
  );
}

function sorted(of: PackageWants): PackageWants {
  return Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function memberOf<T>(record_: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record_, key) ? record_[key] : undefined;
}

/** A network scope in its normalized form. */
const host: Shape<string> = {
  read: (value, at, problems) => {
    if (typeof value !== 'string') return wrong('a text', value, at, problems);
    try {
      return { value: scopeTexts.network.normalise(value) };
    } catch (error) {
      problems.push(`${at}: ${messageOf(error)}`);
      return undefined;
    }
  },
};

const grant = object(
  {
    time: optional(literalTrue),
    random: optional(literalTrue),
    network: optional(array(host)),
    fs: optional(literalTrue),
    storage: optional(literalTrue),
    powers: optional(literalTrue),
    streams: optional(literalTrue),
    arguments: optional(literalTrue),
    open: optional(literalTrue),
    env: optional(array(string())),
  },
  'refuse',
);

export const packagesShape: Shape<LockedPackages> = record(
  object(
    {
      version: optional(string()),
      integrity: string('sha512-…', (text) => text.startsWith('sha512-')),
      together: optional(literalTrue),
      granted: optional(grant),
      imports: optional(array(string())),
      wants: optional(record(string())),
    },
    'refuse',
  ),
);

/** The option that gives a package what it uses, for a shell. */
export function allowPackageFlag(path: string, want: string): string {
  return `--allow-package ${visible(path)}=${visible(want)}`;
}
