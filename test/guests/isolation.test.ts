import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findIsolation, type IsolationSpec, NO_ISOLATION } from '../../src/guests/isolation.js';

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'bulkhead-isolation-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A program in the place of unshare, as a shell script. */
function program(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

// What skips its options and runs what follows them, as unshare does.
const OBEDIENT = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

const find = (changed: Partial<IsolationSpec>): ReturnType<typeof findIsolation> =>
  findIsolation({
    shell: '/bin/sh',
    unshare: undefined,
    bwrap: undefined,
    setpriv: undefined,
    superuser: false,
    readable: ['/bin/sh'],
    ...changed,
  });

describe.runIf(process.platform === 'linux')('isolation', () => {
  it('is a network of its own, as nobody, where the kernel allows that', async () => {
    const unshare = program('obedient', OBEDIENT);
    expect(await find({ unshare, superuser: true, setpriv: unshare })).toEqual({
      network: [unshare, '--user', '--net', '--ipc', '--'],
      dropPrivileges: false,
    });
  });

  it('is a network of its own without privileges where only the superuser may make one', async () => {
    const unshare = program('nobody', `[ "$1" = --user ] && exit 1; ${OBEDIENT}`);
    const setpriv = program('setpriv', OBEDIENT);
    expect(await find({ unshare, setpriv, superuser: true })).toEqual({
      network: [unshare, '--net', '--ipc', '--'],
      dropPrivileges: true,
    });
    expect(await find({ unshare, setpriv })).toEqual(NO_ISOLATION);
  });

  it('is what bwrap makes where nothing else may make one', async () => {
    const unshare = program('forbidden', 'exit 1');
    const bwrap = program('bwrap', OBEDIENT);
    const { network, dropPrivileges } = await find({ unshare, bwrap });
    expect(network.slice(0, 3)).toEqual([bwrap, '--unshare-user', '--unshare-net']);
    expect(network.at(-1)).toBe('--');
    expect(dropPrivileges).toBe(false);
  });

  it('leaves out what would keep a guest from reading its own code', async () => {
    const unshare = program('blind', 'exit 1');
    const setpriv = program('dropping', 'exit 1');
    expect(await find({ unshare, setpriv, superuser: true })).toEqual(NO_ISOLATION);
  });

  it('is none where there is no program for it', async () => {
    expect(await find({ unshare: '/no/such/program' })).toEqual(NO_ISOLATION);
    expect(await find({})).toEqual(NO_ISOLATION);
  });
});

const unshare = '/usr/bin/unshare';
const canIsolate = spawnSync(unshare, ['--user', '--net', '--ipc', '--', '/bin/true']).status === 0;

it.runIf(canIsolate)(
  'leads to a network in which only an interface that is down is seen',
  async () => {
    const { network } = await find({ unshare });
    const [file = '', ...args] = network;
    const { stdout } = spawnSync(file, [...args, '/bin/cat', '/proc/net/dev', '/proc/net/route'], {
      encoding: 'utf8',
    });
    expect([...stdout.matchAll(/^\s*(\S+):/gm)].map(([, name]) => name)).toEqual(['lo']);
  },
);
