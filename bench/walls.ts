import { guestScripts } from '../src/engine/node/process-defaults.js';
import { guestCommand } from '../src/guests/command.js';
import { startGuest } from '../src/guests/guest.js';
import { inspectMachine } from '../src/guests/machine.js';
import { DEFAULT_WALLS } from '../src/guests/walls/optional.js';
import type { Machine } from '../src/guests/walls/machine.js';
import { NO_WALLS } from '../src/guests/walls/plan.js';
import { compare, type Effort, type Measure } from './measure.js';

const LIMITS = { memoryMb: 128, cpuSeconds: 60 };
const START_TIMEOUT_MS = 15_000;

/** A guest behind the walls of this machine, against the same guest without them, in turns. */
export async function measureWalls({ starts, share }: Effort): Promise<Measure[]> {
  const script = guestScripts.confined();
  const machine = await inspectMachine(script);
  const open: Machine = { ...machine, plan: NO_WALLS };
  const walled: number[] = [];
  const without: number[] = [];
  for (let n = 0; n < 2 * starts; n += 1) {
    walled.push(await timeReady(machine, script));
    without.push(await timeReady(open, script));
  }
  return [
    {
      work: 'walls: from spawn to a ready guest, against one without',
      unit: 'ms',
      ...compare(walled, without, share),
    },
  ];
}

async function timeReady(machine: Machine, script: string): Promise<number> {
  const began = performance.now();
  const command = guestCommand(machine, LIMITS, script, [script], DEFAULT_WALLS);
  const guest = startGuest(command, START_TIMEOUT_MS);
  // A guest that starts does not keep this process alive.
  const awake = setInterval(() => {}, START_TIMEOUT_MS);
  try {
    await guest.ready;
    return performance.now() - began;
  } finally {
    guest.kill({ cause: 'closed', detail: 'it was measured' });
    await guest.ended;
    clearInterval(awake);
  }
}
