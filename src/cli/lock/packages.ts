import type { Command } from 'commander';
import type { AcceptedPackages } from '../../engine/accepted-packages.js';
import type { Inspection } from '../../engine/inspect-plugin.js';
import { grantsOf, packageGrantWithin } from '../../engine/accepted-packages.js';
import { contentsOf } from '../../engine/pack-contents.js';
import type { EngineOptions } from '../../engine/types/options.js';
import { BulkheadError } from '../../errors.js';
import {
  describeWant,
  type LockedPackages,
  type PackageWants,
  togetherOf,
} from '../../lock/locked-packages.js';
import type { Permissions } from '../../permissions/kind.js';
import { NO_PERMISSIONS } from '../../permissions/permissions.js';
import type { PackageGrant } from '../../../sandbox/wire/methods.js';
import type { Artifact } from '../../plugin/artifact/artifact.js';
import { packageOf } from '../../plugin/package-path.js';
import type { Plugin } from '../../plugin/plugin.js';
import { isRecord } from '../../../sandbox/wire/json.js';
import { hasUnits, readUnits } from '../../../sandbox/wire/units.js';
import { grantFor, proposePackages, unusedGrant, wantsOf } from '../../suggest/package-policy.js';
import { visible } from '../../visible.js';
import { collect } from '../arguments.js';
import type { CliCapabilities } from '../capabilities.js';
import { usageError } from '../failure.js';
import {
  addPackageOptions,
  grantOfText,
  packageDirectory,
  type PackageBuildSettings,
  type PackageSettings,
  parseAllowPackage,
  unitedGrant,
} from '../package-options.js';

/** The options that decide about the npm packages in a plugin, when it is accepted. */
export interface LockPackageSettings extends PackageSettings {
  readonly denyPackage?: readonly string[];
}

export function addLockPackageOptions(command: Command): Command {
  return addPackageOptions(command).option(
    '--deny-package <PACKAGE>',
    'give this package no permission; repeatable',
    collect,
  );
}

/**
 * The engine's option `packages`. `accepted`: the packages of the plugins that it is for, as they were accepted.
 * Default: it is for all plugins.
 */
export function lockPackagesOption(
  { packages, packageTogether = [] }: PackageBuildSettings,
  accepted: Readonly<Record<string, LockedPackages | undefined>> = { '*': undefined },
): Pick<EngineOptions, 'packages'> {
  const how = packages ?? (packageTogether.length > 0 ? 'separate' : undefined);
  if (how === undefined) return {};
  const named = packageTogether.map(packageDirectory);
  const options = Object.entries(accepted).map(
    ([id, before = {}]) =>
      [id, how === 'together' ? how : { together: [...togetherOf(before), ...named] }] as const,
  );
  return { packages: Object.fromEntries(options) };
}

/** What the code of each package uses; `undefined` if the sources are not there to be read. */
export async function readWants(
  { plugin, packages }: Inspection,
  { suggestPermissions }: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<Readonly<Record<string, PackageWants>> | undefined> {
  if (packages === undefined) return undefined;
  return suggestPermissions(plugin.directory).then(
    (suggestion) => wantsOf(suggestion, packages),
    () => undefined,
  );
}

/**
 * The decision about the packages: what was accepted before, else what their code uses, with the changes that the
 * operator names. Throws `INVALID_PERMISSION` for what the plugin itself may not do.
 */
export function decidePackages(
  inspected: Inspection,
  settings: LockPackageSettings,
  more: {
    readonly granted: Permissions;
    readonly wants: Readonly<Record<string, PackageWants>> | undefined;
    readonly before?: LockedPackages | undefined;
    /** The permissions that the operator names now. A package gets those that it was seen to use before. */
    readonly added?: Permissions | undefined;
  },
): AcceptedPackages | undefined {
  const { packages, plugin } = inspected;
  const { allowPackage = [], denyPackage = [] } = settings;
  const { granted, wants = {}, before, added } = more;
  if (packages === undefined) {
    const bundled = contentsOf(inspected.artifact).packages;
    // guard: one-bundle-needs-a-yes
    if (settings.packages === 'separate' && bundled.length > 0) {
      throw packedTogether(plugin.id, bundled);
    }
    if (allowPackage.length + denyPackage.length === 0) return undefined;
    throw usageError('--packages', 'permissions for packages need --packages separate');
  }
  const program = programOf(plugin);
  const mentions = mentionsIn(inspected.artifact);
  const start: Readonly<Record<string, PackageGrant>> =
    before === undefined
      ? proposePackages(packages, wants, granted, { program, mentions }).grant
      : grantsOf(before);
  const grant = new Map(Object.entries(start));
  if (before !== undefined && added !== undefined) {
    for (const [path, { wants: seen = {}, together }] of Object.entries(before)) {
      // What its code uses only now waits for --allow-package.
      const used = Object.keys(seen);
      if (together === true || !Object.hasOwn(packages, path)) continue;
      const seenUses = grantFor(used, added, (name) => path === program || mentions(path, name));
      grant.set(path, unitedGrant(grant.get(path) ?? {}, seenUses));
    }
    const own = program === undefined ? undefined : grant.get(program);
    if (program !== undefined && own !== undefined) {
      grant.set(program, { ...own, ...namedForProgram(before, [...grant.values()], own, added) });
    }
  }
  for (const text of denyPackage) grant.set(known(packages, text, '--deny-package'), {});
  for (const text of allowPackage) {
    const { path: named, want } = parseAllowPackage(text);
    const path = known(packages, named, '--allow-package');
    grant.set(path, unitedGrant(grant.get(path) ?? {}, allowed(want, plugin.id, path, granted)));
  }
  return { grant: Object.fromEntries(grant), wants };
}

/**
 * What the package of a program gets of the permissions that the operator names: those that no package was seen to
 * need, because reading does not find all uses.
 */
function namedForProgram(
  before: LockedPackages,
  all: readonly PackageGrant[],
  own: PackageGrant,
  added: Permissions,
): PackageGrant {
  const uses = Object.values(before).flatMap(({ wants = {} }) => Object.keys(wants));
  const isSeen = (kind: string): boolean =>
    uses.some((use) => use === kind || use.startsWith(`${kind}:`));
  // guard: named-hosts-without-seen-use
  return unusedGrant(all, own, {
    ...added,
    network: isSeen('network') ? [] : added.network,
    env: isSeen('env') ? [] : added.env,
  });
}

/** Tells whether the code of a package, by its directory, has a name in it. */
function mentionsIn({ bundles }: Artifact): (path: string, name: string) => boolean {
  const units = Object.values(bundles)
    .filter(({ code }) => hasUnits(code))
    .flatMap(({ code }) => readUnits(code));
  return (path, name) =>
    units.some((unit) => unit.path === path && new RegExp(`\\b${name}\\b`).test(unit.code));
}

/** The package that is the program of a plugin: that of an MCP server from npm. */
function programOf({ entries }: Plugin): string | undefined {
  const [info] = entries.map(({ pluginInfo }) => pluginInfo);
  const file = isRecord(info) ? info['program'] : undefined;
  return typeof file === 'string' ? packageOf(file) : undefined;
}

function known(
  packages: NonNullable<Inspection['packages']>,
  text: string,
  option: string,
): string {
  const path = packageDirectory(text);
  if (Object.hasOwn(packages, path)) return path;
  throw usageError(
    option,
    `the plugin has no package ${text}; name its directory, such as node_modules/axios`,
  );
}

/** Throws `INVALID_PERMISSION` for what the plugin itself may not do. */
function allowed(want: string, id: string, path: string, held: Permissions): PackageGrant {
  const grant = grantOfText(want);
  if (grant.imports !== undefined) return grant;
  const within = packageGrantWithin(grant, held);
  if (Object.keys(within).length > 0) return within;
  throw new BulkheadError(
    'INVALID_PERMISSION',
    `${want} cannot be allowed to ${path}: ${id} itself may not do it. Grant it to the plugin with --allow ${want}.`,
    { kind: 'known', text: want },
  );
}

/** `names`: the packages in the bundle. */
export function packedTogether(
  id: string,
  names: readonly string[],
): BulkheadError<'INVALID_OPTIONS'> {
  const some = names.slice(0, 5).map(visible).join(', ');
  const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
  return usageError(
    '--packages',
    `${id} is packed as one bundle: ${some}${more} would get all that the plugin may do. To accept that, add --packages together; its author separates them with bulkhead pack --packages separate`,
  );
}

/** The packages of a plugin as sentences, those with permissions first. */
export function formatPackages(
  packages: NonNullable<Inspection['packages']>,
  { grant, wants }: AcceptedPackages,
): readonly string[] {
  const all = Object.entries(packages).map(([path, one]) => {
    const version = one.version === undefined ? '' : ` ${one.version}`;
    const name = `${path.replace(/^node_modules\//, '')}${version}`;
    const given = grant[path] ?? {};
    const parts = one.together === true ? [TOGETHER] : wordsOf(given);
    const more = (given.imports ?? []).filter((other) => one.undeclared.includes(other));
    const imported = more.map((other) => `imports ${other}, which its package.json does not name`);
    return { path, name, parts: [...parts, ...imported] };
  });
  const open = Object.entries(packages).flatMap(([path, one]) =>
    one.open === true ? [path.replace(/^node_modules\//, '')] : [],
  );
  const nothing = all.filter(({ parts }) => parts.length === 0).length;
  return [
    ...all.flatMap(({ name, parts }) =>
      parts.length === 0 ? [] : [`${name}: ${parts.join('; ')}`],
    ),
    ...(nothing === 0 ? [] : [`${nothing} ${nothing === 1 ? 'package' : 'packages'}: nothing`]),
    ...(open.length === 0
      ? []
      : [`other packages can add to the classes of ${open.length}: ${open.join(', ')}`]),
    ...all.flatMap(({ path, name }) =>
      withheldOf(wants[path] ?? {}, grant[path] ?? {}).map(
        ([want, at]) => `${name} ${describeWant(want)} (${at}); it does not get it`,
      ),
    ),
  ];
}

const TOGETHER = "runs as part of the plugin's own code, with all that the plugin may do";

function wordsOf(grant: PackageGrant): string[] {
  const { network, env, time, random, storage, fs, powers, streams, open } = grant;
  const hosts = network === true ? ['every host of the plugin'] : network || [];
  return [
    ...(hosts.length === 0 ? [] : [`network to ${hosts.join(', ')}`]),
    ...(env === undefined || env.length === 0 ? [] : [`variables ${env.join(', ')}`]),
    ...(fs === true ? ['the files of the plugin'] : []),
    ...(storage === true ? ['the storage of the plugin'] : []),
    ...(powers === true ? ['the powers of the plugin'] : []),
    ...(time === true ? ['clock'] : []),
    ...(random === true ? ['random numbers'] : []),
    ...(streams === true ? ['the standard streams of the server'] : []),
    ...(grant.arguments === true ? ['the arguments of the server'] : []),
    ...(open === true ? ['other packages may add to its classes'] : []),
  ];
}

/** Uses that the package does not get. A clock and random numbers have harmless replacements. */
function withheldOf(wants: PackageWants, grant: PackageGrant): (readonly [string, string])[] {
  return Object.entries(wants).filter(([want]) => {
    const [kind = '', scope] = want.split(/:(.*)/s);
    if (kind === 'time' || kind === 'random') return false;
    if (kind === 'env' || kind === 'imports') {
      return scope === undefined || grant[kind]?.includes(scope) !== true;
    }
    const held = Object.entries(grant).find(([name]) => name === kind)?.[1];
    if (kind !== 'network' || scope === undefined || !Array.isArray(held))
      return held === undefined;
    return (
      grantFor([want], { ...NO_PERMISSIONS, network: held }, () => false).network === undefined
    );
  });
}
