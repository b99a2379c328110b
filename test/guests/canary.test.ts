import { describe, expect, it } from 'vitest';
import { tryNetwork } from '../../src/guests/canary.js';
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
