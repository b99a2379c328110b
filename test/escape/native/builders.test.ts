import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../../src/engine/node/process-defaults.js';
import { inspectMachine } from '../../../src/guests/machine.js';
import type { WallPlan } from '../../../src/guests/walls/plan.js';
import { POWERS } from './deeds.js';
import type { HostReport } from './host.js';
import { canAttack, isRoot, ORDINARY, runHost } from './run-host.js';

const { plan, tools } = await inspectMachine(guestScripts.confined());

/** Each builder as the only one of its machine. */
const BUILDERS = {
  none: 'none',
  bubblewrap: { tools: ['bwrap', 'shell', 'setpriv'] },
  'bubblewrap without setpriv': { tools: ['bwrap', 'shell'] },
  'util-linux': { tools: ['shell', 'unshare', 'setpriv'] },
  'a shell and setpriv': { tools: ['shell', 'setpriv'] },
  'a shell': { tools: ['shell'] },
  nothing: { tools: [] },
} as const;

const attack = (user: number | undefined): Promise<HostReport> =>
  runHost({ ...(user === undefined ? {} : { user }), combinations: BUILDERS });

const isWhole = canAttack && plan.ownRoot && tools.unshare !== undefined;
const HOSTS: readonly [string, HostReport | undefined, boolean][] = isWhole
  ? [
      ['an ordinary user', await attack(isRoot ? ORDINARY : undefined), false],
      ['root', isRoot ? await attack(undefined) : undefined, true],
    ]
  : [
      ['an ordinary user', undefined, false],
      ['root', undefined, true],
    ];

describe.each(HOSTS)('a host of %s whose machine has', (_, report, superuser) => {
  /** Deeds of these powers that succeed. Without powers: all deeds. */
  const done = (builder: keyof typeof BUILDERS, ...powers: readonly string[]): string[] => {
    const { outcomes = {} } = report?.runs[builder] ?? {};
    const asked = powers.length === 0 ? Object.keys(outcomes) : powers.flatMap(deedsOf);
    return asked.filter((deed) => outcomes[deed] === 'done');
  };
  const planOf = (builder: keyof typeof BUILDERS): WallPlan | undefined =>
    report?.runs[builder]?.plan;

  it.skipIf(report === undefined || tools.bwrap === undefined)('bubblewrap: has every wall', () => {
    expect(planOf('bubblewrap')).toMatchObject({
      builder: 'bwrap',
      ownRoot: true,
      systemCallFilter: true,
    });
    expect(planOf('bubblewrap')?.namespaces).toHaveLength(7);
    expect(planOf('bubblewrap')?.ownUser === undefined).toBe(!superuser);
    expect(done('bubblewrap')).toEqual([]);
    // Without setpriv, a guest of root has root's own id, in a namespace without privileges.
    expect(planOf('bubblewrap without setpriv')).toMatchObject({ builder: 'bwrap', ownRoot: true });
    expect(done('bubblewrap without setpriv')).toEqual([]);
  });

  it.skipIf(report === undefined)('util-linux: has a root, and no filter', () => {
    expect(planOf('util-linux')).toMatchObject({
      builder: 'chain',
      ownRoot: true,
      systemCallFilter: false,
      landlock: 0,
    });
    expect(planOf('util-linux')?.ownUser === undefined).toBe(!superuser);
    const locks = 'Lock files that other guests see';
    const calls = 'Inspect other processes by system calls';
    const files = Object.keys(POWERS).filter(
      (power) => power !== locks && power !== calls && /file|other processes|behind/.test(power),
    );
    expect(files.length).toBeGreaterThan(7);
    expect(done('util-linux', ...files)).toEqual([]);
    // No wall but the filter refuses these.
    expect(done('util-linux', calls).filter((deed) => !/end of its pipe/.test(deed))).toEqual([]);
    expect(done('util-linux', locks)).toEqual(['lock a file that others see']);
    expect(done('util-linux', 'Connect to a port or an abstract socket')).toEqual([]);
    expect(done('util-linux', 'Devices and the user of a root host')).toEqual([]);
  });

  it.skipIf(report === undefined)('a shell: has limits, and a user of its own by setpriv', () => {
    for (const builder of ['a shell and setpriv', 'a shell'] as const) {
      expect(planOf(builder)).toMatchObject({ builder: 'chain', namespaces: [], ownRoot: false });
      expect(done(builder, 'Memory above its limit')).toEqual([]);
      expect(done(builder, 'Start processes')).toContain('fork');
    }
    expect(planOf('a shell')?.ownUser).toBeUndefined();
    expect(planOf('a shell and setpriv')?.ownUser === undefined).toBe(!superuser);
    if (!superuser) return;
    // Some machines let every user open a device, e.g. those with fuse installed.
    const ofAll = HOSTS[0]?.[1]?.runs['none']?.outcomes ?? {};
    const own = done('a shell and setpriv', 'Devices and the user of a root host');
    expect(own.filter((deed) => ofAll[deed] !== 'done')).toEqual([]);
    expect(done('a shell and setpriv', 'Trace other processes')).toEqual([]);
    expect(done('a shell and setpriv')).not.toContain('read a file of the user');
    expect(done('a shell and setpriv')).not.toContain('read a file of the group');
  });

  it.skipIf(report === undefined)('nothing: has what the control has', () => {
    expect(planOf('nothing')?.builder).toBe('none');
    expect(done('nothing')).toEqual(done('none'));
  });
});

function deedsOf(power: string): readonly string[] {
  const deeds = POWERS[power];
  if (deeds === undefined) throw new Error(`no power is called ${power}`);
  return deeds;
}
