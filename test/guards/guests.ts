import type { Guard } from './guard.js';

/** What stands round a guest's process. */
export const guestGuards: readonly Guard[] = [
  {
    stops: "the host's variables in a guest",
    file: 'src/guests/guest-process.ts',
    code: 'env: command.env,',
    without: 'env: { ...process.env, ...command.env },',
    tests: ['test/guests/walls.test.ts'],
  },
  {
    stops: 'a guest that goes on after it broke the protocol',
    file: 'src/guests/guest-wire.ts',
    code: "spec.kill({ cause: 'protocol', detail: `it broke the protocol: ${message}` });",
    without: 'void message;',
    tests: ['test/escape/wire.test.ts'],
  },
  {
    stops: 'a guest whose words take all of the host’s time',
    file: 'src/guests/pace.ts',
    code: 'if (resting || (leftMs >= 0 && from.writableLength <= MAX_UNREAD_BYTES)) return;',
    without: 'if (from !== undefined) return;',
    tests: ['test/guests/pace.test.ts'],
  },
  {
    stops: 'files and sockets that whoever started the host left open',
    file: 'sandbox/node/process-entry.ts',
    code: 'closeInherited(inherited);',
    without: '',
    tests: ['test/escape/process.test.ts'],
  },
  {
    stops: 'files, children and workers in a guest',
    file: 'src/guests/command.ts',
    code: 'return [permissionFlag, ...readable.map((path) => `--allow-fs-read=${path}`)];',
    without: 'return [];',
    tests: ['test/guests/command.test.ts', 'test/guests/walls.test.ts'],
  },
  {
    stops: 'memory without end outside of the heap',
    file: 'src/guests/command.ts',
    code: 'ulimit -d ${dataKb};',
    without: '',
    tests: ['test/guests/walls.test.ts'],
  },
  {
    stops: 'a crash that writes memory to disk',
    file: 'src/guests/command.ts',
    code: 'ulimit -c 0;',
    without: '',
    tests: ['test/guests/command.test.ts'],
  },
  {
    stops: 'a guest that outlives its host',
    file: 'src/guests/command.ts',
    code: "const DIES_WITH_HOST = ['--pdeathsig', 'KILL', '--'];",
    without: "const DIES_WITH_HOST = ['--'];",
    tests: ['test/guests/host-death.test.ts'],
  },
  {
    stops: 'a network in a guest, where the kernel has an empty one',
    file: 'src/guests/command.ts',
    code: "const network = use.includes('no-network') ? machine.isolation.network : [];",
    without: 'const network: readonly string[] = [];',
    tests: ['test/guests/command.test.ts', 'test/guests/walls.test.ts'],
  },
  {
    stops: 'a guest that computes for ever between two calls',
    file: 'src/guests/allowance.ts',
    code: 'return used > allowed',
    without: 'return used > Infinity',
    tests: ['test/guests/allowance.test.ts'],
  },
  {
    stops: 'a used guest that is handed to somebody else',
    file: 'src/guests/pool.ts',
    code: 'const waiting = blank.shift();',
    without: 'const waiting = blank[0];',
    tests: ['test/guests/pool.test.ts'],
  },
  {
    stops: 'more guests than the machine has room for',
    file: 'src/guests/capacity.ts',
    code: 'while (guests.size >= maxGuests) {',
    without: 'while (false) {',
    tests: ['test/guests/capacity.test.ts'],
  },
];
