import type { PackageGrant } from '../../../sandbox/wire/methods.js';
import type { ReadPackageOptions } from '../../engine/types/package-options.js';
import type { EventOf } from '../../events.js';
import { scopeTexts } from '../../permissions/table.js';
import { shellWord, visible } from '../../visible.js';
import { grantOfText, unitedGrant } from '../package-options.js';

/** Observes what the separate npm packages of a plugin ask for. */
export interface PackageLearning {
  /** What the packages get now. */
  options(): ReadPackageOptions;
  /** Stores a denial of a package. */
  note(
    event: Pick<EventOf<'capability-denied'>, 'package' | 'permission' | 'at'>,
    scope: string | undefined,
  ): void;
  /** Gives packages what they asked for, as far as learning may. Returns whether a package got more. */
  grantAsked(): boolean;
  /** The report, as lines. `directory`: of the plugin. */
  describe(directory: string): readonly string[];
}

interface Asked {
  readonly path: string;
  /** As `--allow-package` takes it: `network:api.example.com`, `time`. */
  readonly want: string;
  readonly at: string | undefined;
}

/**
 * `given`: what the author allows. `hosts`: the hosts that were listed before. A package gets no other host, and no
 * variable, file, storage or power that the author did not allow to it by name: its code may be poisoned.
 */
export function makePackageLearning(
  given: ReadPackageOptions,
  hosts: () => readonly string[],
): PackageLearning {
  const asked = new Map<string, Asked>();
  const granted = new Set<string>();

  const mayGrant = ({ want }: Asked): boolean => {
    if (want === 'time' || want === 'random') return true;
    const host = /^network:(.+)$/.exec(want)?.[1];
    // guard: package-learning-within-hosts
    return host !== undefined && scopeTexts.network.beyond(hosts(), [host]).length === 0;
  };
  const learned = (): readonly (readonly [key: string, Asked])[] =>
    [...asked].filter(([key]) => granted.has(key));

  return {
    options: () => {
      const grant: Record<string, PackageGrant> = { ...given.grant };
      for (const [, { path, want }] of learned()) {
        grant[path] = unitedGrant(grant[path] ?? {}, grantOfText(want));
      }
      return { grant, together: given.together };
    },
    note: ({ package: path, permission, at }, scope) => {
      if (path === undefined || permission === 'builtin') return;
      const isScoped = permission === 'network' || permission === 'env';
      if (isScoped && scope === undefined) return;
      const want = isScoped ? `${permission}:${scope}` : permission;
      const key = `${path} ${want}`;
      if (!asked.has(key)) asked.set(key, { path, want, at });
    },
    grantAsked: () => {
      const next = [...asked].filter(([key, one]) => !granted.has(key) && mayGrant(one));
      for (const [key] of next) granted.add(key);
      return next.length > 0;
    },
    describe: (directory) => {
      const used = learned().map(([, one]) => one);
      const refused = [...asked].flatMap(([key, one]) => (granted.has(key) ? [] : [one]));
      const allowed = Object.entries(given.grant ?? {}).flatMap(([path, grant]) =>
        wantsIn(grant).map((want) => ({ path, want })),
      );
      const flags = [...allowed, ...used].map(
        ({ path, want }) => `--allow-package ${shellWord(`${nameOf(path)}=${want}`)}`,
      );
      return [
        used.length === 0
          ? 'Its packages used nothing but what you allowed them.'
          : 'Its packages used these permissions:',
        ...used.map(lineOf),
        ...(refused.length === 0
          ? []
          : [
              'These packages asked in vain. Allow what a package needs with --allow-package, and call the tool again:',
              ...refused.map(lineOf),
            ]),
        'To accept the plugin with this, which you should read first:',
        `  ${['bulkhead add', shellWord(directory), '--packages separate', ...flags].join(' ')}`,
      ];
    },
  };
}

function lineOf({ path, want, at }: Asked): string {
  const asked = `${nameOf(path)}=${want}`;
  return `  ${visible(asked).padEnd(40)}  ${visible(at ?? 'place not known')}`;
}

/** A package as `--allow-package` takes it: by its name if it is not inside another package. */
function nameOf(path: string): string {
  const name = path.replace(/^node_modules\//, '');
  return name.includes('node_modules/') ? path : name;
}

/** A grant as `--allow-package` takes it. */
function wantsIn(grant: PackageGrant): readonly string[] {
  return Object.entries(grant).flatMap(([kind, value]) => {
    if (value === true) return [kind];
    return Array.isArray(value) ? value.map((one) => `${kind}:${one}`) : [];
  });
}
