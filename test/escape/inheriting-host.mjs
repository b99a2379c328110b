// A host that was itself started with something open at a high number: what of it do its guests get?
import { readdirSync, readlinkSync } from 'node:fs';
import { DEFAULT_WALLS, guestCommand } from '../../dist/src/guests/command.js';
import { startGuest } from '../../dist/src/guests/guest.js';
import { inspectMachine } from '../../dist/src/guests/machine.js';
import { proveWalls } from '../../dist/src/guests/walls.js';

const script = process.argv[2];
const limits = { memoryMb: 64, cpuSeconds: 60 };
const machine = await inspectMachine(script);
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
const walls = await proveWalls(guest, { machine, limits, use: DEFAULT_WALLS });
const { stands } = walls.find(({ wall }) => wall === 'closed-descriptors');
const { pid } = guest;
process.stdout.write(
  JSON.stringify({ host: descriptorsOf('self'), guest: descriptorsOf(pid), stands }),
);
guest.kill({ cause: 'closed', detail: 'it was looked at' });
await guest.ended;
clearInterval(running);
