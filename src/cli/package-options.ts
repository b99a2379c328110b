import { Option, type Command } from 'commander';
import type { PackageGrant } from '../../sandbox/wire/methods.js';
import type { EngineOptions } from '../engine/types/options.js';
import { parseReference } from '../permissions/reference.js';
import { collect } from './arguments.js';
import { usageError } from './failure.js';

/** The options that decide how the npm packages in plugins run. */
export interface PackageBuildSettings {
  readonly packages?: 'separate' | 'together';
  readonly packageTogether?: readonly string[];
}

/** The same, with the permissions of packages. */
export interface PackageSettings extends PackageBuildSettings {
  readonly allowPackage?: readonly string[];
}

export function addPackageBuildOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--packages [HOW]',
        'separate: run each npm package of a plugin in a compartment of its own, with its own permissions; together: run all as one bundle (default: as accepted; else separate for npm: sources, together for others)',
      )
        .choices(['separate', 'together'])
        .preset('separate'),
    )
    .option(
      '--package-together <PACKAGE>',
      'run this package as part of the own code of the plugin, with all that the plugin may do; repeatable',
      collect,
    );
}

export function addPackageOptions(command: Command): Command {
  return addPackageBuildOptions(command).option(
    '--allow-package <PACKAGE=PERMISSION>',
    'let this separate package use this permission of the plugin, e.g. axios=network:api.example.com; repeatable',
    collect,
  );
}

/** The engine's option `packages` for plugins that are not named otherwise. `locked`: under a lock file. */
export function packagesOption(
  settings: PackageSettings,
  locked: boolean,
): Pick<EngineOptions, 'packages'> {
  const { packages, packageTogether = [], allowPackage = [] } = settings;
  if (locked && packageTogether.length + allowPackage.length > 0) {
    throw usageError(
      '--lock',
      'the lock file says what packages may do; change it with bulkhead update ID --allow-package PACKAGE=PERMISSION',
    );
  }
  const isNamed = packageTogether.length + allowPackage.length > 0;
  const how = packages ?? (isNamed ? 'separate' : undefined);
  if (how === undefined) return {};
  if (how === 'together' || !isNamed) return { packages: { '*': how } };
  const grant = new Map<string, PackageGrant>();
  for (const text of allowPackage) {
    const { path, want } = parseAllowPackage(text);
    grant.set(path, unitedGrant(grant.get(path) ?? {}, grantOfText(want)));
  }
  const together = packageTogether.map(packageDirectory);
  return { packages: { '*': { together, grant: Object.fromEntries(grant) } } };
}

/** The directory of a package that is named by its directory or its name. */
export function packageDirectory(text: string): string {
  return /(?:^|\/)node_modules\//.test(text) ? text : `node_modules/${text}`;
}

/** Reads the value of `--allow-package`. */
export function parseAllowPackage(text: string): { readonly path: string; readonly want: string } {
  const [, name, want] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name !== undefined && want !== undefined) return { path: packageDirectory(name), want };
  throw usageError(
    '--allow-package',
    `--allow-package takes PACKAGE=PERMISSION such as axios=network:api.example.com, not ${text}`,
  );
}

/** The grant of one permission: `time`, `network:api.example.com`, `env:API_KEY`, `imports:axios`, `streams`, `arguments`, `open`. */
export function grantOfText(want: string): PackageGrant {
  const imports = /^imports:(.+)$/.exec(want)?.[1];
  if (imports !== undefined)
    return { imports: [imports === '.' ? '.' : packageDirectory(imports)] };
  if (want === 'streams' || want === 'arguments' || want === 'open') return { [want]: true };
  const { kind, scope } = parseReference(want);
  if (kind === 'network') return { network: scope === undefined ? true : [scope] };
  // One package gets all files and powers of the plugin, or none.
  if (kind !== 'env') return { [kind]: true };
  if (scope !== undefined) return { env: [scope] };
  throw usageError('--allow-package', 'env needs a name, such as env:API_KEY');
}

/** What either grant gives. */
export function unitedGrant(one: PackageGrant, other: PackageGrant): PackageGrant {
  const lists = (['network', 'env', 'imports'] as const).flatMap((kind) => {
    const both = [one[kind], other[kind]].filter((list) => list !== undefined && list !== false);
    if (both.length === 0) return [];
    const isWhole = both.includes(true);
    return [[kind, isWhole ? true : [...new Set(both.flat())]] as const];
  });
  return { ...one, ...other, ...Object.fromEntries(lists) };
}
