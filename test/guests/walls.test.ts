import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/powers/surroundings.js';
import { guestCommand, OPTIONAL_WALLS, type OptionalWall } from '../../src/guests/command.js';
import type { Machine } from '../../src/guests/command.js';
import { startGuest } from '../../src/guests/guest.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { type Guarantee, proveWalls } from '../../src/guests/walls.js';

const limits = { memoryMb: 64, cpuSeconds: 60 };
const script = guestScripts.confined();
const machine = await inspectMachine(script);

async function prove(
  use: readonly OptionalWall[],
  changed: Partial<Machine> = {},
): Promise<Readonly<Record<string, Guarantee>>> {
  const here = { ...machine, ...changed };
  const guest = startGuest(guestCommand(here, limits, script, [script], use), 20_000);
  try {
    const walls = await proveWalls(guest, { machine: here, limits, use });
    return Object.fromEntries(walls.map((wall) => [wall.wall, wall]));
  } finally {
    guest.kill({ cause: 'closed', detail: 'the test is over' });
  }
}

describe.runIf(process.platform === 'linux' && machine.isolation.network.length > 0)(
  'on a Linux that has all of them',
  () => {
    it('every wall stands where all are asked for', async () => {
      const walls = Object.values(await prove(OPTIONAL_WALLS));
      expect(walls.filter(({ stands }) => !stands)).toEqual([]);
      expect(walls.length).toBeGreaterThan(15);
    });

    it('one that is left out does not stand, and says how to get it', async () => {
      const walls = await prove([]);
      for (const wall of OPTIONAL_WALLS) {
        expect(walls[wall]).toMatchObject({ stands: false, unused: true });
        expect(walls[wall]?.remedy).toContain('walls.use');
      }
    });

    it('one that this machine lacks does not stand, and says how to get it', async () => {
      const walls = await prove(['no-network'], {
        isolation: { network: [], dropPrivileges: false },
        setpriv: undefined,
      });
      for (const wall of ['no-network', 'no-new-privileges', 'dies-with-host', 'stops-when-idle']) {
        expect(walls[wall]).toMatchObject({ stands: false, unused: false });
        expect(walls[wall]?.remedy).toContain('util-linux');
      }
    });
  },
);
