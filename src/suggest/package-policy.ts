import type { PackageGrant } from '../../sandbox/wire/methods.js';
import type { AcceptedPackages } from '../engine/accepted-packages.js';
import type { Inspection } from '../engine/inspect-plugin.js';
import type { PackageWants } from '../lock/locked-packages.js';
import type { Permissions } from '../permissions/kind.js';
import { scopeTexts } from '../permissions/table.js';
import { packagesAmong, type PackageUse } from './package-grants.js';
import type { Suggestion } from './suggestion.js';

/**
 * What the code of each npm package uses, by directory: each use as text, with its first place in the code. An import
 * that its package.json does not name is `imports:node_modules/axios`.
 */
export function wantsOf(
  suggestion: Pick<Suggestion, 'items' | 'open'>,
  packages: NonNullable<Inspection['packages']>,
): Readonly<Record<string, PackageWants>> {
  const uses = new Map(packagesAmong(suggestion).map(({ path, items }) => [path, items]));
  return Object.fromEntries(
    Object.entries(packages).map(([path, one]): [string, PackageWants] => {
      const { undeclared, streams } = one;
      const used = (uses.get(path) ?? []).toReversed().map((item) => [wantOf(item), item.at]);
      const imported = undeclared.map((other) => [`imports:${other}`, `${path}/package.json`]);
      const spoken = streams === undefined ? [] : [['streams', streams]];
      const read = one.arguments === undefined ? [] : [['arguments', one.arguments]];
      return [path, Object.fromEntries([...used, ...imported, ...spoken, ...read])];
    }),
  );
}

function wantOf({ permission, scope }: PackageUse): string {
  return scope === undefined || scope === 'true' ? permission : `${permission}:${scope}`;
}

/**
 * Proposes what each npm package gets: what its code uses, as far as the plugin's own grant covers it. A use of a host
 * that is only known at run time gets the hosts of the plugin. A use of such a variable gets those of the plugin
 * whose names the package's code has: `mentions`. `program`: the package that is the plugin's program, if there is
 * one. It also gets the variables and hosts that no package was seen to use: reading does not find all.
 */
export function proposePackages(
  packages: NonNullable<Inspection['packages']>,
  wants: Readonly<Record<string, PackageWants>>,
  granted: Permissions,
  { program, mentions = () => false }: ProposalOptions = {},
): AcceptedPackages {
  const proposed = Object.entries(packages).map(([path, { undeclared, together }]) => {
    const used = together === true ? [] : Object.keys(wants[path] ?? {});
    const imports = undeclared.length === 0 ? {} : { imports: undeclared };
    const mayRead = (name: string): boolean => path === program || mentions(path, name);
    return [path, { ...grantFor(used, granted, mayRead), ...imports }] as const;
  });
  const grant: Record<string, PackageGrant> = Object.fromEntries(proposed);
  const own = program === undefined ? undefined : grant[program];
  if (program !== undefined && own !== undefined) {
    grant[program] = { ...own, ...unusedGrant(Object.values(grant), own, granted) };
  }
  return { wants, grant };
}

interface ProposalOptions {
  readonly program?: string | undefined;
  /** Whether the code of a package has the name of a variable. Default: none has. */
  readonly mentions?: (path: string, name: string) => boolean;
}

/** The variables and hosts of the plugin's grant that no package was seen to use, beside those of one package. */
export function unusedGrant(
  all: readonly PackageGrant[],
  { env = [], network = [] }: PackageGrant,
  granted: Permissions,
): PackageGrant {
  const names = granted.env.filter((name) => all.every((one) => one.env?.includes(name) !== true));
  const hosts = granted.network.filter((host) =>
    all.every(
      ({ network: used = [] }) =>
        typeof used !== 'boolean' && scopeTexts.network.intersect([host], [...used]).length === 0,
    ),
  );
  return {
    ...(names.length === 0 ? {} : { env: [...env, ...names] }),
    ...(hosts.length === 0 || typeof network === 'boolean'
      ? {}
      : { network: [...network, ...hosts] }),
  };
}

/**
 * The part of these uses that the plugin's grant covers. `mayRead`: the variables that code gets whose use of
 * variables is only known at run time. All of them would hand each key to a poisoned package.
 */
export function grantFor(
  wants: readonly string[],
  held: Permissions,
  mayRead: (name: string) => boolean,
): PackageGrant {
  const scopes = (kind: string): readonly string[] =>
    wants.flatMap((want) => (want.startsWith(`${kind}:`) ? [want.slice(kind.length + 1)] : []));
  const uses = (kind: string): boolean => wants.includes(kind) || scopes(kind).length > 0;
  const network = wants.includes('network')
    ? held.network
    : scopeTexts.network.intersect(scopes('network'), held.network);
  // guard: open-variables-by-name
  const env = held.env.filter(
    (name) => scopes('env').includes(name) || (wants.includes('env') && mayRead(name)),
  );
  return {
    ...(held.time && uses('time') ? { time: true } : {}),
    ...(held.random && uses('random') ? { random: true } : {}),
    ...(held.storage && uses('storage') ? { storage: true } : {}),
    ...(held.fs.length > 0 && uses('fs') ? { fs: true } : {}),
    ...(held.powers.length > 0 && uses('powers') ? { powers: true } : {}),
    ...(uses('streams') ? { streams: true } : {}),
    ...(uses('arguments') ? { arguments: true } : {}),
    ...(network.length === 0 ? {} : { network }),
    ...(env.length === 0 ? {} : { env }),
  };
}
