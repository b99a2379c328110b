import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../../src/guests/machine.js';
import { NAMESPACES, type Namespace } from '../../../src/guests/walls/plan.js';
import { ROOT } from '../../architecture/sources.js';
import { POWERS } from './deeds.js';
import type { HostReport } from './host.js';
import { docker, DOCKER_PRIVILEGES, noMounts, restrictNamespaces } from './outer-filters.js';
import { canAttack, type HostSetting, isRoot, ORDINARY, runHost } from './run-host.js';

const { plan } = await inspectMachine(guestScripts.confined());
const NAMES = Object.keys(NAMESPACES).filter(isNamespace);
const METADATA = POWERS['Learn the names and metadata of files'] ?? [];

function isNamespace(name: string): name is Namespace {
  return Object.hasOwn(NAMESPACES, name);
}

/** `RestrictNamespaces=` in the unit of docs/serve.md; `mnt` is systemd's word for `mount`. */
function unitOfDocs(): readonly Namespace[] {
  const text = readFileSync(join(ROOT, 'docs/serve.md'), 'utf8');
  const [, names = ''] = /^RestrictNamespaces=(.*)$/m.exec(text) ?? [];
  return names.split(' ').map((name) => {
    const known = name === 'mnt' ? 'mount' : name;
    if (!isNamespace(known)) throw new Error(`no namespace is called ${name}`);
    return known;
  });
}

const users: readonly [string, number | undefined][] = isRoot
  ? [
      ['root', undefined],
      ['an ordinary user', ORDINARY],
    ]
  : [['an ordinary user', undefined]];

/** Asks for a run with the walls that are found there. */
async function found(setting: Omit<HostSetting, 'combinations'>): Promise<{
  readonly report: HostReport;
  readonly done: readonly string[];
}> {
  const report = await runHost({ ...setting, combinations: { none: 'none', found: 'found' } });
  const { outcomes = {} } = report.runs['found'] ?? {};
  expect(Object.keys(outcomes).length).toBeGreaterThan(60);
  return { report, done: Object.keys(outcomes).filter((deed) => outcomes[deed] === 'done') };
}

const isWhole = canAttack && plan.ownRoot && plan.systemCallFilter && plan.landlock >= 6;

describe.skipIf(!isWhole).each(users)('a host of %s below a service manager', (_, user) => {
  const asUser = user === undefined ? {} : { user };
  const isRootHost = isRoot && user === undefined;
  const all = NAMES.filter((name) => !isRootHost || name !== 'user');

  it('has every wall under the unit of docs/serve.md', async () => {
    const { report, done } = await found({ ...asUser, outer: restrictNamespaces(unitOfDocs()) });
    expect(report.found).toMatchObject({ ownRoot: true, systemCallFilter: true });
    expect(report.found.namespaces.toSorted()).toEqual(all.toSorted());
    expect(done).toEqual([]);
  });

  it.each(NAMES)('loses the namespace %s alone if only that is refused', async (name) => {
    const outer = restrictNamespaces(NAMES.filter((one) => one !== name));
    const { report, done } = await found({ ...asUser, outer });
    const { namespaces, ownRoot, systemCallFilter, landlock } = report.found;
    // Without a namespace of users, an ordinary user can make none of the others.
    const lost = name === 'user' && !isRootHost ? NAMES : [name];
    expect(namespaces.toSorted()).toEqual(all.filter((one) => !lost.includes(one)).toSorted());
    expect(systemCallFilter).toBe(true);
    // A root of its own needs a namespace of mounts. Landlock is there without.
    expect(ownRoot).toBe(!lost.includes('mount'));
    expect(landlock).toBe(6);
    expect(done).toEqual(ownRoot ? [] : METADATA);
  });

  it('loses its root alone if mounts are refused', async () => {
    const { report, done } = await found({ ...asUser, outer: noMounts });
    expect(report.found).toMatchObject({ ownRoot: false, systemCallFilter: true, landlock: 6 });
    expect(report.found.namespaces).toEqual(
      expect.arrayContaining(all.filter((name) => name !== 'mount')),
    );
    expect(done).toEqual(METADATA);
  });
});

describe.skipIf(!isWhole).each(users)('a host of %s in a container of Docker', (_, user) => {
  it('has Landlock and the filter', async () => {
    const isRootHost = isRoot && user === undefined;
    const { report, done } = await found({
      ...(user === undefined ? {} : { user }),
      ...(isRootHost ? { privileges: DOCKER_PRIVILEGES } : {}),
      outer: docker,
    });
    expect(report.found).toMatchObject({
      builder: 'perl',
      namespaces: [],
      ownRoot: false,
      systemCallFilter: true,
      landlock: 6,
    });
    expect(report.found.ownUser === undefined).toBe(!isRootHost);
    expect(done).toEqual(METADATA);
  });
});
