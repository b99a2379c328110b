import type { PackageGrant } from '../../sandbox/wire/methods.js';
import {
  type DescribedPackage,
  type LockedPackage,
  type LockedPackages,
  type PackageWants,
  togetherOf,
} from '../lock/locked-packages.js';
import type { Pin } from '../lock/lock.js';
import type { Permissions } from '../permissions/kind.js';
import { scopeTexts } from '../permissions/table.js';
import type { Inspection } from './inspect-plugin.js';
import type { InspectedPackage } from './plugins/inspected-packages.js';
import type { AcceptedPlugins } from './types/settings.js';
import type { EngineOptions } from './types/options.js';
import { readPackageOptions } from './types/package-options.js';

/** The operator's decision about the npm packages in a plugin, by directory. */
export interface AcceptedPackages {
  /** What each may use of the plugin's grant. Packages that are not named get nothing. */
  readonly grant: Readonly<Record<string, PackageGrant>>;
  /** What their code was seen to use. */
  readonly wants: Readonly<Record<string, PackageWants>>;
}

/** The options, with which accepted plugins are built as they were accepted. */
export function withLocked(options: EngineOptions, lock: AcceptedPlugins): EngineOptions {
  const locked = Object.entries(lock.read().plugins).map(
    ([id, { packages }]) =>
      [id, packages === undefined ? 'together' : { together: togetherOf(packages) }] as const,
  );
  return { ...options, packages: { ...Object.fromEntries(locked), ...options.packages } };
}

/** The packages of an inspected version, for the comparison with the accepted one. */
export function describePackages(
  packages: Readonly<Record<string, InspectedPackage>>,
  wants: Readonly<Record<string, PackageWants>> | undefined,
): Readonly<Record<string, DescribedPackage>> {
  return Object.fromEntries(
    Object.entries(packages).map(([path, inspected]) => {
      const one = describedOf(inspected);
      if (wants === undefined) return [path, one];
      // The others are among what it wants.
      const imports = one.imports.filter((name) => !inspected.undeclared.includes(name));
      return [path, { ...one, imports, wants: memberOf(wants, path) ?? {} }];
    }),
  );
}

/** Without what only shows. */
function describedOf({
  version,
  integrity,
  together,
  imports,
}: InspectedPackage): DescribedPackage & Pick<InspectedPackage, 'imports'> {
  return {
    ...(version === undefined ? {} : { version }),
    integrity,
    ...(together === undefined ? {} : { together }),
    imports,
  };
}

/** The packages of an accepted version, as the lock file gets them. */
export function lockedPackages(
  { plugin, packages }: Inspection,
  {
    granted,
    packages: decision,
  }: { readonly granted: Permissions; readonly packages?: AcceptedPackages },
  before: Pin | undefined,
  options: EngineOptions,
): Pick<Pin, 'packages'> {
  if (packages === undefined) return {};
  const grants =
    decision?.grant ??
    readPackageOptions(options.packages)(plugin.id)?.grant ??
    grantsOf(before?.packages ?? {});
  const locked = Object.entries(packages).map(([path, one]): [string, LockedPackage] => {
    const { imports: more = [], ...grant } = memberOf(grants, path) ?? {};
    const { undeclared } = one;
    return [
      path,
      {
        ...describedOf(one),
        granted: packageGrantWithin(grant, granted),
        imports: one.imports.filter((name) => !undeclared.includes(name) || more.includes(name)),
        wants: memberOf(decision?.wants ?? {}, path) ?? {},
      },
    ];
  });
  return { packages: Object.fromEntries(locked) };
}

/** What each package was accepted with, as the option `packages` names it. */
export function grantsOf(packages: LockedPackages): Readonly<Record<string, PackageGrant>> {
  return Object.fromEntries(
    Object.entries(packages).map(([path, { granted = {}, imports = [] }]) => [
      path,
      { ...granted, imports },
    ]),
  );
}

/** The part of a package's grant that the plugin's own grant covers, with its hosts and variables by name. */
export function packageGrantWithin(grant: PackageGrant, held: Permissions): PackageGrant {
  const { network = false, env = [] } = grant;
  const hosts =
    network === true
      ? held.network
      : scopeTexts.network.intersect(held.network, network === false ? [] : network);
  const variables = env.filter((name) => held.env.includes(name));
  return {
    ...(grant.time === true && held.time ? { time: true } : {}),
    ...(grant.random === true && held.random ? { random: true } : {}),
    ...(hosts.length === 0 ? {} : { network: hosts.toSorted() }),
    ...(grant.fs === true && held.fs.length > 0 ? { fs: true } : {}),
    ...(grant.storage === true && held.storage ? { storage: true } : {}),
    ...(grant.powers === true && held.powers.length > 0 ? { powers: true } : {}),
    // These are within one plugin: it has its streams, its arguments and its packages anyway.
    ...(grant.streams === true ? { streams: true } : {}),
    ...(grant.arguments === true ? { arguments: true } : {}),
    ...(grant.open === true ? { open: true } : {}),
    ...(variables.length === 0 ? {} : { env: variables.toSorted() }),
  };
}

function memberOf<T>(of: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}
