import { expect, it } from 'vitest';
import { guestCommand, type Machine } from '../../src/guests/command.js';

const machine: Machine = {
  node: '/usr/bin/node',
  nodeMajor: 20,
  permissionFlag: '--experimental-permission',
  flags: ['--no-addons'],
  shell: '/bin/sh',
  setpriv: '/usr/bin/setpriv',
  inheritable: [],
};
const limits = { memoryMb: 64, cpuSeconds: 600 };
const textOf = (changed: Partial<Machine>): string => {
  const { file, args } = guestCommand({ ...machine, ...changed }, limits, '/guest.cjs', [
    '/guest.cjs',
  ]);
  return [file, ...args].join(' ');
};

it('a guest may read its own code and nothing else', () => {
  expect(textOf({})).toContain('--experimental-permission --allow-fs-read=/guest.cjs');
  expect(textOf({})).not.toMatch(/allow-(fs-write|child-process|worker|addons|wasi)/);
});

it('the environment of a guest has three variables, none of the host', () => {
  expect(guestCommand(machine, limits, '/g', []).env).toEqual({
    TZ: 'UTC',
    LANG: 'C',
    LC_ALL: 'C',
  });
});

it('walls that the machine lacks are left out, and the guest still starts', () => {
  expect(textOf({ shell: undefined, setpriv: undefined, permissionFlag: undefined })).toBe(
    '/usr/bin/node --max-old-space-size=64 --no-addons /guest.cjs',
  );
});

it('a guest is told what it inherits, to close it', () => {
  expect(textOf({ inheritable: [{ number: 251, dev: 13, ino: 7 }] })).toMatch(
    / \/guest\.cjs 251:13:7$/,
  );
});

it('the soft limit on processor time is set before the hard one, which may not be below it', () => {
  expect(textOf({})).toContain('ulimit -S -t 600; ulimit -H -t 605;');
});

it('newer Nodes get the room that their reserved cage takes from the data limit', () => {
  const dataKb = (text: string): number => Number(/ulimit -d (\d+)/.exec(text)?.[1]);
  expect(dataKb(textOf({ nodeMajor: 24 })) - dataKb(textOf({}))).toBeGreaterThan(500 * 1024);
});
