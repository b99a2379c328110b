import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NAMESPACES, type Namespace } from '../../../src/guests/walls/plan.js';
import { ROOT } from '../../architecture/sources.js';
import { POWERS, REFUSED_ELSEWHERE } from './deeds.js';
import type { Combination, HostReport } from './host.js';
import { canAttack, isRoot, ORDINARY, runHost } from './run-host.js';

const LANDLOCK = 6;

/** The walls of each column of the table in SECURITY.md. */
const combinations = (superuser: boolean): Record<string, Combination> => {
  const namespaces = Object.keys(NAMESPACES).filter(
    (name): name is Namespace => !(superuser && name === 'user'),
  );
  return {
    none: 'none',
    found: 'found',
    'Landlock and filter': { only: { landlock: LANDLOCK, systemCallFilter: true } },
    'filter alone': { only: { systemCallFilter: true } },
    'Landlock alone': { only: { landlock: LANDLOCK } },
    'namespaces alone': { only: { namespaces, ownRoot: true } },
    bundler: 'bundler',
  };
};

/** The headings in SECURITY.md. */
const COLUMNS: Readonly<Record<string, string>> = {
  found: 'All walls',
  'Landlock and filter': 'Landlock and filter',
  'filter alone': 'Filter alone',
  'Landlock alone': 'Landlock alone',
  'namespaces alone': 'Namespaces and root alone',
};

const attack = (user: number | undefined): Promise<HostReport> =>
  runHost({
    ...(user === undefined ? {} : { user }),
    combinations: combinations(isRoot && user === undefined),
  });

const HOSTS: readonly [string, HostReport | undefined][] = canAttack
  ? [
      ['an ordinary user', await attack(isRoot ? ORDINARY : undefined)],
      ['root', isRoot ? await attack(undefined) : undefined],
    ]
  : [
      ['an ordinary user', undefined],
      ['root', undefined],
    ];

const DEEDS = Object.values(POWERS).flat();

/** What it takes to start esbuild, and the addresses and descriptors that esbuild needs. */
const AS_A_BUNDLER = ['fork', 'map addresses for large page tables', 'fill a hundred pipes'];

describe.each(HOSTS)('machine code in a guest of %s', (_, report) => {
  const outcome = (name: string, deed: string): string =>
    report?.runs[name]?.outcomes[deed] ?? 'not tried';

  it.skipIf(report === undefined)('tries every power of the table', () => {
    const tried = Object.keys(report?.runs['none']?.outcomes ?? {});
    const foreign = 'call the kernel by another interface';
    const expected = process.arch === 'x64' ? DEEDS : DEEDS.filter((deed) => deed !== foreign);
    expect(tried.toSorted()).toEqual(expected.toSorted());
    for (const { outcomes } of Object.values(report?.runs ?? {})) {
      expect(Object.keys(outcomes).toSorted()).toEqual(tried.toSorted());
    }
  });

  it.skipIf(report === undefined)('has every power without walls', () => {
    const refused = DEEDS.filter(
      (deed) => outcome('none', deed) !== 'done' && !REFUSED_ELSEWHERE.has(deed),
    );
    expect(refused.map((deed) => [deed, outcome('none', deed)])).toEqual([]);
  });

  it.for(DEEDS)('does not: %s', (deed, { skip }) => {
    if (report === undefined) return skip('needs Linux, perl and setpriv, and root for this host');
    const { found } = report;
    const whole = found.systemCallFilter && (found.ownRoot || found.landlock > 0);
    if (!whole) return skip('this machine has no filter or no wall around files');
    if (outcome('none', deed) !== 'done') return skip('this machine refuses it without walls, too');
    if (!found.ownRoot && POWERS['Learn the names and metadata of files']?.includes(deed)) {
      return skip('Landlock does not refuse it');
    }
    expect(outcome('found', deed)).not.toBe('done');
    expect(outcome('found', deed)).not.toBe('not tried');
  });
});

describe.each(HOSTS)('machine code in the bundler of %s', (_, report) => {
  it.skipIf(!report?.found.systemCallFilter || !report.found.ownRoot)(
    'can do no more than a guest, but start processes that end with it, map addresses and open pipes',
    () => {
      const { outcomes = {} } = report?.runs['bundler'] ?? {};
      expect(DEEDS.filter((deed) => outcomes[deed] === 'done')).toEqual(AS_A_BUNDLER);
    },
  );
});

describe('the table of powers in SECURITY.md', () => {
  const [, user] = HOSTS[0] ?? [];
  const [, root] = HOSTS[1] ?? [];
  const isWhole =
    user?.found.landlock === LANDLOCK && user.found.ownRoot && user.found.systemCallFilter;

  /** What is left of a power: `none`, `all`, or the deeds that succeed. */
  const left = (report: HostReport, name: string, deeds: readonly string[]): readonly string[] =>
    deeds.filter((deed) => report.runs[name]?.outcomes[deed] === 'done');

  it.skipIf(!isWhole)('says what an attack can do behind each combination', () => {
    if (user === undefined) throw new Error('no attack');
    const columns = Object.keys(COLUMNS);
    const cells = Object.entries(POWERS).map(([power, deeds]) => [
      power,
      ...columns.map((name) => {
        const possible = left(user, 'none', deeds);
        const done = left(user, name, possible);
        return done.length === 0 ? 'refused' : done.length === possible.length ? 'allowed' : 'some';
      }),
    ]);
    const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
    const rows = text
      .split('\n')
      .filter((line) => Object.keys(POWERS).some((power) => line.startsWith(`| ${power} `)))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    expect(rows).toEqual(cells);
    const some = columns.flatMap((name, column) => {
      const deeds = cells.flatMap(([power = '', ...outcomes]) =>
        outcomes[column] === 'some' ? left(user, name, POWERS[power] ?? []) : [],
      );
      return deeds.length === 0 ? [] : [`- ${COLUMNS[name]}: ${deeds.join('; ')}.`];
    });
    expect(text.split('\n').filter((line) => some.includes(line))).toEqual(some);
    expect(text).toContain(`| ${columns.map((name) => COLUMNS[name]).join(' | ')} |`);
  });

  it.skipIf(!isWhole || root === undefined)('lets no guest of root read what is root’s', () => {
    const secret = ['read a file of the user', 'read a file of the group', 'read a file of root'];
    for (const name of Object.keys(combinations(true)).filter((one) => one !== 'none')) {
      expect([name, root && left(root, name, secret)]).toEqual([name, []]);
    }
  });

  it.skipIf(!isWhole || root === undefined)('holds for a host of root, too', () => {
    if (user === undefined || root === undefined) throw new Error('no attack');
    for (const name of Object.keys(combinations(true)).filter((one) => one !== 'none')) {
      const more = DEEDS.filter(
        (deed) =>
          root.runs[name]?.outcomes[deed] === 'done' && user.runs[name]?.outcomes[deed] !== 'done',
      );
      expect([name, more]).toEqual([name, []]);
    }
  });
});
