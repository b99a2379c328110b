import { expect, it } from 'vitest';
import { guestCommand, type Machine, type OptionalWall } from '../../src/guests/command.js';

const machine: Machine = {
  node: '/usr/bin/node',
  nodeMajor: 20,
  permissionFlag: '--experimental-permission',
  flags: ['--no-addons'],
  shell: '/bin/sh',
  setpriv: '/usr/bin/setpriv',
  inheritable: [],
  isolation: { network: ['/usr/bin/unshare', '--user', '--net', '--'], dropPrivileges: false },
};
const limits = { memoryMb: 64, cpuSeconds: 600 };
const textOf = (changed: Partial<Machine>, use: readonly OptionalWall[] = []): string => {
  const spec = { ...machine, ...changed };
  const { file, args } = guestCommand(spec, limits, '/guest.cjs', ['/guest.cjs'], use);
  return [file, ...args].join(' ');
};

it('a guest may read its own code and nothing else', () => {
  expect(textOf({})).toContain('--experimental-permission --allow-fs-read=/guest.cjs');
  expect(textOf({})).not.toMatch(/allow-(fs-write|child-process|worker|addons|wasi)/);
});

it('the environment of a guest has three variables, none of the host', () => {
  expect(guestCommand(machine, limits, '/g', [], []).env).toEqual({
    TZ: 'UTC',
    LANG: 'C',
    LC_ALL: 'C',
  });
});

it('walls that the machine lacks are left out, and the guest still starts', () => {
  expect(textOf({ shell: undefined, setpriv: undefined, permissionFlag: undefined })).toBe(
    '/usr/bin/node --max-old-space-size=64 --max-semi-space-size=1 --v8-pool-size=1 --no-addons /guest.cjs alone plain',
  );
});

it('a guest is told what it inherits, to close it', () => {
  expect(textOf({ inheritable: [{ number: 251, dev: 13, ino: 7 }] })).toMatch(
    / \/guest\.cjs alone plain 251:13:7$/,
  );
});

it('the soft limit on processor time is set before the hard one, which may not be below it', () => {
  expect(textOf({})).toContain('ulimit -S -t 600; ulimit -H -t 605;');
  expect(textOf({})).toContain('ulimit -c 0; ulimit -f 0;');
});

it('newer Nodes get the room that their reserved cage takes from the data limit', () => {
  const dataKb = (text: string): number => Number(/ulimit -d (\d+)/.exec(text)?.[1]);
  expect(dataKb(textOf({ nodeMajor: 24 })) - dataKb(textOf({}))).toBeGreaterThan(500 * 1024);
});

it('the empty network is entered first, and the death signal is set in it', () => {
  expect(textOf({}, ['no-network'])).toMatch(/unshare .*ulimit .*--pdeathsig KILL -- .*node/);
  expect(textOf({}, [])).not.toContain('unshare');
});

it('a superuser whose guests stay in its network drops its privileges from them', () => {
  const isolation = { network: [], dropPrivileges: true };
  expect(textOf({ isolation }, ['no-network'])).toContain('--bounding-set=-all --no-new-privs');
});

it('only who asks for it loses the just-in-time compiler', () => {
  expect(textOf({}, ['no-jit'])).toContain('--jitless /guest.cjs');
  expect(textOf({}, ['no-network'])).not.toContain('--jitless');
});
