import { PACKAGE_FLAGS } from '../types/package-options.js';
import type { LoadedPackage, LoadParams, PackageGrant } from '../../../sandbox/wire/methods.js';
import {
  areInstalledTogether,
  hasUnits,
  INSTALLED_UNIT,
  readUnits,
} from '../../../sandbox/wire/units.js';
import { BulkheadError } from '../../errors.js';
import type { LockedPackages } from '../../lock/locked-packages.js';
import { network } from '../../permissions/network.js';
import { scopeTexts } from '../../permissions/table.js';
import type { Bundle, PluginEntry } from '../../plugin/plugin.js';
import type { Settings } from '../types/settings.js';

/** What the packages of a plugin get, if its code was built for that: see `LoadParams`. */
export function packagesFor(
  id: string,
  bundle: Bundle,
  confinement: PluginEntry['confinement'],
  settings: Pick<Settings, 'lock' | 'packages'>,
): Pick<LoadParams, 'packages'> {
  requireSeparate(id, bundle, confinement, settings);
  if (!hasUnits(bundle.code)) return {};
  const options = settings.packages(id);
  const { grant } = options ?? {};
  const locked = acceptedPackages(id, bundle, settings);
  if (options === undefined && locked === undefined && areInstalledTogether(bundle.code)) {
    return { packages: { [INSTALLED_UNIT]: { isOwn: true } } };
  }
  if (locked === undefined) return { packages: mapped(grant ?? speakers(bundle), loaded) };
  return {
    packages: Object.fromEntries(
      bundle.packages.map(({ path }): [string, LoadedPackage] => {
        const { granted = {}, imports = [] } = memberOf(locked, path) ?? {};
        const limit =
          grant === undefined ? granted : narrower(granted, memberOf(grant, path) ?? {});
        return [path, { ...loaded(limit), importsOnly: imports }];
      }),
    ),
  };
}

/** Throws `INVALID_OPTIONS` if the option packages wants packages separate that were built as one bundle. */
export function requireSeparate(
  id: string,
  bundle: Bundle,
  confinement: PluginEntry['confinement'],
  settings: Pick<Settings, 'packages'>,
): void {
  // guard: separate-packages-required
  if (settings.packages(id) === undefined || confinement === 'host') return;
  if (hasUnits(bundle.code) && !areInstalledTogether(bundle.code)) return;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `The option packages wants the packages of ${id} separate, and its accepted code was built as one bundle. Accept it again with bulkhead update ${id} --packages separate, or set packages to "together" for it.`,
    { option: 'packages' },
  );
}

/** Packages that read and write the standard streams: without them a server in npm packages cannot say what it offers. */
function speakers({ code }: Bundle): Readonly<Record<string, PackageGrant>> {
  const units = readUnits(code).filter(({ streams }) => streams !== undefined);
  return Object.fromEntries(units.map(({ path }) => [path, { streams: true }]));
}

/**
 * The packages as they were accepted with the code that runs. `undefined` if the code is not accepted code, or was
 * accepted before lock files named packages.
 */
function acceptedPackages(
  id: string,
  { artifact }: Bundle,
  { lock }: Pick<Settings, 'lock'>,
): LockedPackages | undefined {
  if (lock === undefined || artifact === undefined) return undefined;
  const { plugins } = lock.read();
  const plugin = memberOf(plugins, id);
  const pins = plugin === undefined ? [] : [plugin, ...(plugin.previous ?? [])];
  const pin = pins.find((one) => one.artifact === artifact);
  // guard: replaced-policy-grants-nothing
  return pin === undefined ? {} : pin.packages;
}

function loaded({ network: hosts = false, ...grant }: PackageGrant): LoadedPackage {
  if (hosts === true) return { ...grant, network: true };
  if (hosts === false || hosts.length === 0) return grant;
  return { ...grant, network: hosts.map((text) => ({ ...network.parse(text), text })) };
}

/** What both grants give. */
function narrower(held: PackageGrant, limit: PackageGrant): PackageGrant {
  const flags = PACKAGE_FLAGS.filter((kind) => held[kind] === true && limit[kind] === true);
  const env = (held.env ?? []).filter((name) => limit.env?.includes(name) === true);
  return {
    ...Object.fromEntries(flags.map((kind) => [kind, true])),
    network: narrowerHosts(held.network, limit.network),
    env,
  };
}

function narrowerHosts(
  held: PackageGrant['network'] = false,
  limit: PackageGrant['network'] = false,
): NonNullable<PackageGrant['network']> {
  if (held === false || limit === false) return false;
  if (held === true) return limit;
  return limit === true ? held : scopeTexts.network.intersect(held, limit);
}

function mapped<From, To>(
  of: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Readonly<Record<string, To>> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, map(value)]));
}

function memberOf<T>(of: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(of, key) ? of[key] : undefined;
}
