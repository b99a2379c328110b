import { describe, expect, it } from 'vitest';
import { guestScripts } from '../../src/engine/node/process-defaults.js';
import { guestCommand } from '../../src/guests/command.js';
import { OPTIONAL_WALLS, type OptionalWall } from '../../src/guests/walls/optional.js';
import type { Machine } from '../../src/guests/walls/machine.js';
import { startGuest } from '../../src/guests/guest.js';
import { inspectMachine } from '../../src/guests/machine.js';
import { NO_WALLS } from '../../src/guests/walls/plan.js';
import { type Guarantee, proveWalls } from '../../src/guests/walls/guarantees.js';

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
    const walls = await proveWalls(guest, { machine: here, limits, use, visible: [script] });
    return Object.fromEntries(walls.map((wall) => [wall.wall, wall]));
  } finally {
    guest.kill({ cause: 'closed', detail: 'the test is over' });
  }
}

describe.runIf(
  process.platform === 'linux' && machine.plan.builder === 'perl' && machine.plan.ownRoot,
)('on a Linux that has all of them', () => {
  it('every wall is active if all are requested', async () => {
    const walls = Object.values(await prove(OPTIONAL_WALLS));
    expect(walls.filter(({ active }) => !active)).toEqual([]);
    expect(walls.length).toBeGreaterThan(15);
  });

  it('one that is left out is missing, and says how to get it', async () => {
    const walls = await prove([]);
    for (const wall of OPTIONAL_WALLS) {
      expect(walls[wall]).toMatchObject({ active: false, unused: true });
      expect(walls[wall]?.remedy).toContain('walls.use');
    }
  });

  it('those that this machine cannot build are missing, and say how to get them', async () => {
    const walls = await prove(['no-network'], { plan: { ...machine.plan, ...NO_WALLS } });
    for (const wall of [
      'memory',
      'own-filesystem',
      'no-file-writes',
      'no-network',
      'no-local-sockets',
      'no-other-processes',
      'no-child-processes',
      'no-uncounted-memory',
      'system-call-filter',
      'no-new-privileges',
      'dies-with-host',
      'suspends-when-idle',
    ] as const) {
      expect(walls[wall]).toMatchObject({ wall, active: false, unused: false });
      expect(walls[wall]?.remedy).toContain('install');
    }
  });
});
