import type { Machine } from './command.js';
import { gatherFacts, type GuestFacts, limitOf } from './facts.js';
import type { Guest } from './guest.js';

/** What stands between a guest and the machine, from the inside out. */
export type WallName =
  | 'compartment'
  | 'scuttled'
  | 'process'
  | 'permission-model'
  | 'empty-environment'
  | 'closed-descriptors'
  | 'heap-limit'
  | 'memory'
  | 'cpu'
  | 'no-file-writes'
  | 'no-core-dump'
  | 'no-new-privileges'
  | 'dies-with-host';

export interface Guarantee {
  readonly wall: WallName;
  readonly stands: boolean;
  /** How it was found out on this machine. */
  readonly evidence: string;
  /** What it means for somebody who relies on it. */
  readonly meaning: string;
}

interface Wall {
  readonly meaning: string;
  readonly prove: (facts: GuestFacts) => Proof;
}

interface Proof {
  readonly stands: boolean;
  readonly evidence: string;
}

/** Finds out which walls stand round a blank guest. Rejects where the guest does not start. */
export async function proveWalls(guest: Guest, machine: Machine): Promise<readonly Guarantee[]> {
  const facts = await gatherFacts(guest, machine);
  return Object.keys(WALLS)
    .filter(isWallName)
    .map((wall) => ({ wall, meaning: WALLS[wall].meaning, ...WALLS[wall].prove(facts) }));
}

export function isWallName(name: string): name is WallName {
  return Object.hasOwn(WALLS, name);
}

/** What descriptors of many processes lead to without leading to one another. */
const NOBODYS = /^(\/dev\/null$|anon_inode:)/;

/** The variables that a guest is given. */
const GUEST_VARIABLES = new Set(['TZ', 'LANG', 'LC_ALL']);

const WALLS: Readonly<Record<WallName, Wall>> = {
  compartment: {
    meaning: 'Plugin code has the language and what its grant endows, and no other object.',
    prove: ({ report }) => tell(report['lockdown'] === true, 'its intrinsics are frozen'),
  },
  scuttled: {
    meaning: 'Code that broke out of its compartment finds no modules, sockets or signals there.',
    prove: ({ report }) =>
      tell(report['scuttled'] === true, 'it looked for them, and they are gone'),
  },
  process: {
    meaning: 'A loop, a leak or a crash of a plugin ends its own process and nothing of the host.',
    prove: ({ pid }) => tell(pid > 0 && pid !== process.pid, 'it has a process of its own'),
  },
  'permission-model': {
    meaning: "Node refuses files, child processes, workers and add-ons in the guest's process.",
    prove: ({ report, machine }) =>
      tell(
        report['permissionModel'] === true,
        `Node runs with ${machine.permissionFlag ?? 'none'}`,
      ),
  },
  'empty-environment': {
    meaning: 'No variable of the host, and so no secret in one, is in the guest at all.',
    prove: ({ environment }) => {
      const names = environment.split('\0').flatMap((line) => line.split('=')[0] || []);
      const own = names.length > 0 && names.every((name) => GUEST_VARIABLES.has(name));
      return tell(own, `the kernel shows ${names.join(', ') || 'nothing'}`);
    },
  },
  'closed-descriptors': {
    meaning: 'The guest inherits no open file or socket of the host besides its own pipe.',
    prove: ({ descriptors, hostDescriptors }) => {
      // Each end of the pipe between them is a socket of its own.
      const shared = descriptors?.filter(
        (to) => hostDescriptors?.includes(to) === true && !NOBODYS.test(to),
      );
      return tell(
        shared !== undefined && hostDescriptors !== undefined && shared.length === 0,
        `the kernel shows ${descriptors?.length ?? 'no'} descriptors, ${shared?.length ?? '?'} of them the host's`,
      );
    },
  },
  'heap-limit': {
    meaning: 'V8 ends the guest when its heap reaches the limit.',
    prove: ({ command }) => limited(/--max-old-space-size=(\d+)/.exec(command)?.[1], 'MiB of heap'),
  },
  memory: {
    meaning:
      'The kernel refuses the guest more memory than its limit, buffers outside the heap too.',
    prove: ({ limits }) => limited(limitOf(limits, 'Max data size'), 'bytes of data'),
  },
  cpu: {
    meaning: 'The kernel ends a guest that burns more processor time than its limit.',
    prove: ({ limits }) => limited(limitOf(limits, 'Max cpu time'), 'seconds'),
  },
  'no-file-writes': {
    meaning: 'The kernel refuses the guest to write a single byte to any file.',
    prove: ({ limits }) =>
      tell(limitOf(limits, 'Max file size') === '0', 'the kernel shows a file size limit of 0'),
  },
  'no-core-dump': {
    meaning: 'A crash writes no memory, and so no secret, to disk.',
    prove: ({ limits }) =>
      tell(
        limitOf(limits, 'Max core file size') === '0',
        'the kernel shows a core size limit of 0',
      ),
  },
  'no-new-privileges': {
    meaning: 'No program that the guest could start gains rights that the host lacks.',
    prove: ({ status }) => tell(/^NoNewPrivs:\s*1$/m.test(status), 'the kernel shows NoNewPrivs'),
  },
  'dies-with-host': {
    meaning: 'A guest does not outlive its host, even one in an endless loop.',
    prove: ({ machine }) => tell(machine.setpriv !== undefined, 'setpriv sets a death signal'),
  },
};

function tell(stands: boolean, sign: string): Proof {
  return { stands, evidence: stands ? sign : `not the case here: ${sign}` };
}

function limited(limit: string | undefined, unit: string): Proof {
  return limit === undefined
    ? { stands: false, evidence: `no limit in ${unit} is set here` }
    : { stands: true, evidence: `the limit is ${limit} ${unit}` };
}
