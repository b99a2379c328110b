import { describe, expect, it } from 'vitest';
import { proveNetwork, tryNetwork } from '../../src/guests/canary.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { guestScripts } from '../../src/engine/powers/surroundings.js';

const limits = { memoryMb: 64, cpuSeconds: 60 };
const machine = await inspectMachine(guestScripts.confined());

describe('the network canary', () => {
  it('connects where nothing keeps it', async () => {
    const isolation = { network: [], dropPrivileges: false };
    expect(await tryNetwork({ ...machine, isolation }, limits)).toEqual({
      walled: 'connected',
      open: 'connected',
    });
  });

  it.runIf(machine.isolation.network.length > 0)(
    'fails in an empty network, and only there',
    async () => {
      expect(await tryNetwork(machine, limits)).toEqual({ walled: 'failed', open: 'connected' });
    },
  );

  it('shows nothing where it cannot be started', async () => {
    const isolation = { network: ['/no/such/program'], dropPrivileges: false };
    const broken = { ...machine, shell: undefined, isolation };
    expect(await tryNetwork(broken, limits)).toMatchObject({ walled: 'untried' });
  });
});

describe('an empty network', () => {
  const apart = { guest: 'net:[2]', host: 'net:[1]' };

  it('is shown by a program that failed where another did not', () => {
    expect(proveNetwork(apart, { walled: 'failed', open: 'connected' }).stands).toBe(true);
  });

  it.each([
    [
      'the guest is in the network of its host',
      { ...apart, guest: 'net:[1]' },
      'failed',
      'connected',
    ],
    ['nobody knows in which it is', { guest: '', host: '' }, 'failed', 'connected'],
    ['none could connect anywhere', apart, 'failed', 'failed'],
    ['the one that is to connect was not tried', apart, 'failed', 'untried'],
    ['the one that is to fail was not tried', apart, 'untried', 'connected'],
    ['the one that is to fail connected', apart, 'connected', 'connected'],
  ] as const)('is not shown where %s', (_, networks, walled, open) => {
    expect(proveNetwork(networks, { walled, open }).stands).toBe(false);
  });
});
