// A host that was itself started with something open at a high number: what of it do its guests get?
// With the argument `alone`, nothing around a guest closes descriptors but the guest itself.
import { readdirSync, readlinkSync } from 'node:fs';
import { guestCommand } from '../../dist/src/guests/command.js';
import { DEFAULT_WALLS } from '../../dist/src/guests/walls/optional.js';
import { startGuest } from '../../dist/src/guests/guest.js';
import { inspectMachine } from '../../dist/src/guests/machine.js';
import { NO_WALLS } from '../../dist/src/guests/walls/plan.js';
import { proveWalls } from '../../dist/src/guests/walls/guarantees.js';

const [, , script, walled] = process.argv;
const limits = { memoryMb: 64, cpuSeconds: 60 };
const found = await inspectMachine(script);
const machine = walled === 'alone' ? { ...found, plan: NO_WALLS } : found;
const command = guestCommand(machine, limits, script, [script], DEFAULT_WALLS);
const descriptorsOf = (pid) =>
  readdirSync(`/proc/${pid}/fd`).flatMap((number) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${number}`)];
    } catch {
      return [];
    }
  });

const running = setInterval(() => {}, 1_000);
const guest = startGuest(command, 15_000);
await guest.ready;
const setting = { machine, limits, use: DEFAULT_WALLS, visible: [script] };
const walls = await proveWalls(guest, setting);
const { active } = walls.find(({ wall }) => wall === 'closed-descriptors');
const { pid } = guest;
process.stdout.write(
  JSON.stringify({ host: descriptorsOf('self'), guest: descriptorsOf(pid), active }),
);
guest.kill({ cause: 'closed', detail: 'it was inspected' });
await guest.ended;
clearInterval(running);
