import { describe, expect, it } from 'vitest';
import { installCommand } from '../../src/guests/walls/install.js';
import type { Machine } from '../../src/guests/walls/machine.js';
import { NO_WALLS, type WallPlan } from '../../src/guests/walls/plan.js';

const WHOLE: WallPlan = {
  ...NO_WALLS,
  builder: 'perl',
  namespaces: ['user', 'net', 'pid', 'ipc', 'mount'],
  ownRoot: true,
  landlock: 6,
  systemCallFilter: true,
};

function machine(plan: Partial<WallPlan>, changed: Partial<Machine> = {}): Machine {
  return {
    node: '/usr/bin/node',
    nodeMajor: 20,
    permissionFlag: undefined,
    droppedFlags: [],
    flags: [],
    architecture: 'x64',
    superuser: false,
    tools: {
      perl: '/usr/bin/perl',
      bwrap: undefined,
      unshare: undefined,
      setpriv: undefined,
      shell: '/bin/sh',
    },
    inheritable: [],
    libraries: [],
    loaderFiles: [],
    countsPerNamespace: true,
    filters: undefined,
    plan: { ...WHOLE, ...plan },
    ...changed,
  };
}

const withoutPerl = (one: Machine): Machine => ({
  ...one,
  tools: { ...one.tools, perl: undefined },
});
const debian = (program: string): boolean => program === 'apt-get';

describe('the command that installs what builds missing walls', () => {
  it('is none if none is missing', () => {
    expect(installCommand(withoutPerl(machine({})), debian)).toBeUndefined();
  });

  it.each([
    ['apt-get', 'apt-get install perl-base'],
    ['dnf', 'dnf install perl-interpreter'],
    ['zypper', 'zypper install perl-base'],
    ['pacman', 'pacman -S perl'],
    ['apk', 'apk add perl'],
  ])('with %s is %s', (manager, command) => {
    const bare = withoutPerl(machine({ ownRoot: false, systemCallFilter: false }));
    expect(installCommand(bare, (program) => program === manager)).toBe(command);
  });

  it('is that of bubblewrap if perl alone cannot build them', () => {
    const lacking = machine({ namespaces: [], ownRoot: false });
    expect(installCommand(lacking, debian)).toBe('apt-get install bubblewrap');
    const both = machine(
      { ownRoot: false },
      { tools: { ...lacking.tools, bwrap: '/usr/bin/bwrap' } },
    );
    expect(installCommand(both, debian)).toBeUndefined();
  });

  it.each<[string, Partial<WallPlan>, Partial<Machine>]>([
    ['a namespace', { namespaces: ['user', 'pid', 'ipc', 'mount'] }, {}],
    ['the filter', { systemCallFilter: false }, {}],
    ['a user of its own', {}, { superuser: true }],
  ])('is there if only %s is missing', (_, plan, changed) => {
    expect(installCommand(machine(plan, changed), debian)).toBe('apt-get install bubblewrap');
  });

  it('is none on a system or an architecture that no program has walls for', () => {
    const other = machine({ ownRoot: false }, { architecture: undefined });
    expect(installCommand(withoutPerl(other), debian)).toBeUndefined();
  });

  it('is none if the package manager is unknown', () => {
    expect(installCommand(withoutPerl(machine({ ownRoot: false })), () => false)).toBeUndefined();
  });
});
