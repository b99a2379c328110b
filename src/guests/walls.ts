import { isOptionalWall } from './command.js';
import { gatherFacts, type GuestFacts, type GuestSetting, limitOf } from './facts.js';
import { proveNetwork } from './canary.js';
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
  | 'no-capabilities'
  | 'no-network'
  | 'no-jit'
  | 'dies-with-host'
  | 'stops-when-idle';

export interface Guarantee {
  readonly wall: WallName;
  readonly stands: boolean;
  /** How it was found out on this machine. */
  readonly evidence: string;
  /** What it means for somebody who relies on it. */
  readonly meaning: string;
  /** Left out by the options: it would not stand even where this machine has it. */
  readonly unused: boolean;
  /** How to get it, where it does not stand. */
  readonly remedy?: string;
}

interface Wall {
  readonly meaning: string;
  readonly remedy: string;
  readonly prove: (facts: GuestFacts) => Proof;
}

interface Proof {
  readonly stands: boolean;
  readonly evidence: string;
}

/** Finds out which walls stand round a blank guest. Rejects where the guest does not start. */
export async function proveWalls(
  guest: Guest,
  setting: GuestSetting,
): Promise<readonly Guarantee[]> {
  const facts = await gatherFacts(guest, setting);
  return Object.keys(WALLS)
    .filter(isWallName)
    .map((wall) => {
      const { meaning, remedy, prove } = WALLS[wall];
      const unused = isOptionalWall(wall) && !setting.use.includes(wall);
      const proof = unused ? { stands: false, evidence: 'walls.use leaves it out' } : prove(facts);
      return {
        wall,
        meaning,
        ...proof,
        unused,
        ...(proof.stands ? {} : { remedy: unused ? `Add it to walls.use.` : remedy }),
      };
    });
}

export function isWallName(name: string): name is WallName {
  return Object.hasOwn(WALLS, name);
}

/** What descriptors of many processes lead to without leading to one another. */
const NOBODYS = /^(\/dev\/null$|anon_inode:)/;

/** The variables that a guest is given. */
const GUEST_VARIABLES = new Set(['TZ', 'LANG', 'LC_ALL']);

const FAULT = 'This is a fault of Bulkhead: report it with what `bulkhead doctor --json` prints.';
const ON_LINUX = 'Run the host on Linux: it alone shows whether this wall stands.';
const ULIMIT = 'Run the host on Linux, with a shell at /bin/sh whose ulimit sets it.';
const SETPRIV = 'Run the host on Linux, and install setpriv (package util-linux).';

const WALLS: Readonly<Record<WallName, Wall>> = {
  compartment: {
    meaning: 'Plugin code has the language and what its grant endows, and no other object.',
    remedy: FAULT,
    prove: ({ report }) => tell(report['lockdown'] === true, 'its intrinsics are frozen'),
  },
  scuttled: {
    meaning: 'Code that broke out of its compartment finds no modules, sockets or signals there.',
    remedy: FAULT,
    prove: ({ report }) =>
      tell(report['scuttled'] === true, 'it looked for them, and they are gone'),
  },
  process: {
    meaning: 'A loop, a leak or a crash of a plugin ends its own process and nothing of the host.',
    remedy: FAULT,
    prove: ({ pid }) => tell(pid > 0 && pid !== process.pid, 'it has a process of its own'),
  },
  'permission-model': {
    meaning: "Node refuses files, child processes, workers and add-ons in the guest's process.",
    remedy: 'Run a Node that has the permission model: any official build from 20.19.',
    prove: ({ report, machine }) =>
      tell(
        report['permissionModel'] === true,
        `Node runs with ${machine.permissionFlag ?? 'none'}`,
      ),
  },
  'empty-environment': {
    meaning: 'No variable of the host, and so no secret in one, is in the guest at all.',
    remedy: ON_LINUX,
    prove: ({ environment }) => {
      const names = environment.split('\0').flatMap((line) => line.split('=')[0] || []);
      const own = names.length > 0 && names.every((name) => GUEST_VARIABLES.has(name));
      return tell(own, `the kernel shows ${names.join(', ') || 'nothing'}`);
    },
  },
  'closed-descriptors': {
    meaning: 'The guest inherits no open file or socket of the host besides its own pipe.',
    remedy: ON_LINUX,
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
    remedy: ON_LINUX,
    prove: ({ command }) => limited(/--max-old-space-size=(\d+)/.exec(command)?.[1], 'MiB of heap'),
  },
  memory: {
    meaning:
      'The kernel refuses the guest more memory than its limit, buffers outside the heap too.',
    remedy: ULIMIT,
    prove: ({ limits }) => limited(limitOf(limits, 'Max data size'), 'bytes of data'),
  },
  cpu: {
    meaning: 'The kernel ends a guest that burns more processor time than its limit.',
    remedy: ULIMIT,
    prove: ({ limits }) => limited(limitOf(limits, 'Max cpu time'), 'seconds'),
  },
  'no-file-writes': {
    meaning: 'The kernel refuses the guest to write a single byte to any file.',
    remedy: ULIMIT,
    prove: ({ limits }) =>
      tell(limitOf(limits, 'Max file size') === '0', 'the kernel shows a file size limit of 0'),
  },
  'no-core-dump': {
    meaning: 'A crash writes no memory, and so no secret, to disk.',
    remedy: ULIMIT,
    prove: ({ limits }) =>
      tell(
        limitOf(limits, 'Max core file size') === '0',
        'the kernel shows a core size limit of 0',
      ),
  },
  'no-new-privileges': {
    meaning: 'No program that the guest could start gains rights that the host lacks.',
    remedy: SETPRIV,
    prove: ({ status }) => tell(/^NoNewPrivs:\s*1$/m.test(status), 'the kernel shows NoNewPrivs'),
  },
  'no-capabilities': {
    meaning: "The guest has none of a superuser's privileges, whoever runs the host.",
    remedy: 'Run the host as a user other than root, or install setpriv (package util-linux).',
    prove: ({ status }) =>
      tell(
        ['CapPrm', 'CapEff', 'CapAmb'].every((set) =>
          new RegExp(`^${set}:\\s*0+$`, 'm').test(status),
        ),
        'the kernel shows no capability',
      ),
  },
  'no-network': {
    meaning:
      'Code that escaped the compartment and Node still finds no network: its own leads nowhere. Sockets that have a name in the file system are another matter.',
    remedy:
      'Install unshare (package util-linux) or bwrap (package bubblewrap), and let users make namespaces: sysctl user.max_user_namespaces above 0; on Ubuntu from 24.04 kernel.apparmor_restrict_unprivileged_userns=0; in a container a seccomp profile that allows unshare.',
    prove: ({ networks, networkTrial }) => proveNetwork(networks, networkTrial),
  },
  'no-jit': {
    meaning:
      'V8 makes no machine code at run time, which most attacks on it need. Plugins compute some ten times slower.',
    remedy: FAULT,
    prove: ({ command }) => tell(command.includes(' --jitless '), 'V8 runs with --jitless'),
  },
  'dies-with-host': {
    meaning: 'A guest does not outlive its host, even one in an endless loop.',
    remedy: SETPRIV,
    prove: ({ machine }) => tell(machine.setpriv !== undefined, 'setpriv sets a death signal'),
  },
  'stops-when-idle': {
    meaning: 'A plugin that nobody calls gets no processor time: its process is stopped.',
    remedy: SETPRIV,
    prove: ({ machine, stopped }) =>
      tell(machine.setpriv !== undefined && stopped, 'the kernel shows it stopped when told to'),
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
