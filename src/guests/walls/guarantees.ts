import { GUEST_ENVIRONMENT } from './environment.js';
import type { Machine } from './machine.js';
import { isOptionalWall } from './optional.js';
import type { Guest } from '../guest.js';
import type { Canaries } from './canary.js';
import { CRASH } from './crash-canary.js';
import type { WallName } from './wall-names.js';
import { gatherFacts, type GuestFacts, type GuestSetting, limitOf } from './facts.js';

export interface Guarantee {
  readonly wall: WallName;
  readonly active: boolean;
  /** How it was checked on this machine. */
  readonly evidence: string;
  /** What it guarantees. */
  readonly meaning: string;
  /** Left out by the options: not active, also if this machine has it. */
  readonly unused: boolean;
  /** How to get it, if it is not active. */
  readonly remedy?: string;
}

interface Wall {
  readonly meaning: string;
  readonly remedy: string;
  readonly prove: (facts: GuestFacts) => Proof;
}

interface Proof {
  readonly active: boolean;
  readonly evidence: string;
}

/** Checks which walls of a standby guest are active. Rejects if the guest does not start. */
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
      const outcome = unused
        ? { active: false, evidence: 'walls.use leaves it out' }
        : prove(facts);
      return {
        wall,
        meaning,
        ...outcome,
        unused,
        ...(outcome.active ? {} : { remedy: unused ? `Add it to walls.use.` : remedy }),
      };
    });
}

export function isWallName(name: string): name is WallName {
  return Object.hasOwn(WALLS, name);
}

/** Targets of descriptors that many processes have without sharing anything. */
const UNSHARED = /^(\/dev\/null$|anon_inode:)/;

/** The variables of a guest. */
const GUEST_VARIABLES = new Set(Object.keys(GUEST_ENVIRONMENT));

/** bubblewrap sets it, to its own root. */
const VARIABLE_OF_BUBBLEWRAP = 'PWD=/';

const FAULT = 'This is a fault of Bulkhead: report it with what `bulkhead doctor --json` prints.';
const ON_LINUX = 'Run the host on Linux: other systems do not show whether this wall is active.';
const ULIMIT =
  'Run the host on Linux, and install perl, or a shell at /bin/sh whose ulimit sets it.';
const SETPRIV = 'Run the host on Linux, and install perl, or setpriv (package util-linux).';
const BUILDERS =
  'Run the host on Linux with x86-64 or arm64, and install perl (apt-get install perl-base) or bubblewrap (apt-get install bubblewrap).';
const LET_USERS =
  'Users have to be allowed to make namespaces: sysctl user.max_user_namespaces above 0; on Ubuntu from 24.04 install bubblewrap or set kernel.apparmor_restrict_unprivileged_userns=0; in a container use a seccomp profile that allows unshare.';

const WALLS: Readonly<Record<WallName, Wall>> = {
  compartment: {
    meaning: 'Plugin code has the language and its endowments, and no other object.',
    remedy: FAULT,
    prove: ({ report }) => proof(report['lockdown'] === true, 'its intrinsics are frozen'),
  },
  scuttled: {
    meaning: 'Code that escapes its compartment finds no modules, sockets or signals.',
    remedy: FAULT,
    prove: ({ report }) => proof(report['scuttled'] === true, 'it finds none of them'),
  },
  process: {
    meaning: 'A loop, a leak or a crash of a plugin ends only its own process.',
    remedy: FAULT,
    prove: ({ pid }) => proof(pid > 0 && pid !== process.pid, 'it has a process of its own'),
  },
  'permission-model': {
    meaning: "Node refuses files, child processes, workers and add-ons in the guest's process.",
    remedy: 'Run a Node that has the permission model: any official build from 20.19.',
    prove: ({ report, machine }) =>
      proof(
        report['permissionModel'] === true,
        `Node runs with ${machine.permissionFlag ?? 'none'}`,
      ),
  },
  'empty-environment': {
    meaning: 'The guest has no environment variable of the host.',
    remedy: ON_LINUX,
    prove: ({ environment, machine: { plan } }) => {
      const lines = environment.split('\0');
      const names = lines
        .filter((line) => plan.builder !== 'bwrap' || line !== VARIABLE_OF_BUBBLEWRAP)
        .flatMap((line) => line.split('=')[0] || []);
      const own = names.length > 0 && names.every((name) => GUEST_VARIABLES.has(name));
      return proof(own, `the kernel shows ${names.join(', ') || 'nothing'}`);
    },
  },
  'closed-descriptors': {
    meaning: 'The guest inherits no open file or socket of the host except its own pipe.',
    remedy: ON_LINUX,
    prove: ({ descriptors, hostDescriptors }) => {
      // Each end of the pipe is a socket of its own.
      const shared = descriptors?.filter(
        (to) => hostDescriptors?.includes(to) === true && !UNSHARED.test(to),
      );
      return proof(
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
    meaning: 'The kernel refuses more memory than the limit, also for buffers outside the heap.',
    remedy: ULIMIT,
    prove: ({ limits, canaries }) =>
      // A machine with little memory refuses so much to every program.
      canaries.open['memory'] === 'done'
        ? refused(canaries, ['memory'])
        : limited(limitOf(limits, 'Max data size'), 'bytes of data'),
  },
  cpu: {
    meaning: 'The kernel ends a guest that burns more processor time than its limit.',
    remedy: ULIMIT,
    prove: ({ limits, canaries: { compute } }) => {
      const set = limited(limitOf(limits, 'Max cpu time'), 'seconds');
      if (!set.active) return set;
      const ended = `a program behind the same walls, with a limit of 1 second, ended with ${compute ?? 'nothing'}`;
      return proof(compute === 'SIGXCPU', `${set.evidence}; ${ended}`);
    },
  },
  'own-filesystem': {
    meaning:
      'The guest reads Node, its libraries and its own script, and no other file. Where only Landlock does this, names and metadata of files stay visible.',
    remedy: `${BUILDERS} ${LET_USERS}`,
    prove: ({ canaries }) => refused(canaries, ['read', 'process']),
  },
  'no-file-writes': {
    meaning: 'The kernel refuses every change of a file: content, name, mode, times and links.',
    remedy: BUILDERS,
    prove: ({ canaries }) =>
      refused(canaries, [
        'write',
        'create',
        'truncate',
        'unlink',
        'rename',
        'chmod',
        'utimes',
        'symlink',
        'link',
        'mkdir',
        ...nativeOf(canaries, 'map a file'),
      ]),
  },
  'no-core-dump': {
    meaning: 'A crash writes no memory to disk.',
    remedy: ULIMIT,
    prove: ({ limits, coresTo, canaries }) => {
      if (canaries.open[CRASH] === 'done') return refused(canaries, [CRASH]);
      const most = limitOf(limits, 'Max core file size');
      // The kernel writes no core to a file, and starts no program that would read it, with 1 byte.
      const isRead = coresTo.startsWith('|');
      return proof(
        most === '1' || (most === '0' && !isRead),
        `a crash leaves no core here, also without walls; the kernel shows a core size limit of ${most ?? 'any size'}, and gives cores to ${isRead ? 'a program' : 'files'}`,
      );
    },
  },
  'no-new-privileges': {
    meaning: 'A program that the guest starts gains no privilege that the host lacks.',
    remedy: SETPRIV,
    prove: ({ status }) => proof(/^NoNewPrivs:\s*1$/m.test(status), 'the kernel shows NoNewPrivs'),
  },
  'no-capabilities': {
    meaning: 'The guest has no privilege of root, also if root runs the host.',
    remedy: 'Run the host as a user other than root, or install setpriv (package util-linux).',
    prove: ({ status }) =>
      proof(
        ['CapPrm', 'CapEff', 'CapAmb'].every((set) =>
          new RegExp(`^${set}:\\s*0+$`, 'm').test(status),
        ),
        'the kernel shows no capability',
      ),
  },
  'own-user': {
    meaning:
      'If root runs the host, each guest has a user id of its own. A host of another user has no root to give away.',
    remedy:
      'Install perl, or setpriv (package util-linux), and make the files of Node and Bulkhead readable for all users. walls.users names the range of ids.',
    prove: ({ status, machine }) => {
      const [own = ''] = /^Uid:.*$/m.exec(status) ?? [];
      const ids = own.split(/\s+/).slice(1).map(Number);
      const { ownUser } = machine.plan;
      if (!machine.superuser) return proof(ids.length > 0, 'the host is not root');
      const isOwn =
        ownUser !== undefined &&
        ids.length > 0 &&
        ids.every((id) => id >= ownUser.first && id < ownUser.first + ownUser.count);
      return proof(isOwn, `the kernel shows the user ${String(ids[0] ?? 'unknown')}`);
    },
  },
  'no-network': {
    meaning: 'Code that escaped the compartment and Node finds an empty network.',
    remedy: `${BUILDERS} ${LET_USERS}`,
    prove: ({ networks, canaries }) =>
      networks.guest === '' || networks.guest === networks.host
        ? { active: false, evidence: 'the guest shares the network of its host' }
        : refused(canaries, ['port']),
  },
  'no-local-sockets': {
    meaning:
      'The guest connects to no socket of another process, such as that of Docker, D-Bus or an SSH agent.',
    remedy: BUILDERS,
    prove: ({ canaries }) =>
      refused(canaries, ['socket in the file system', ...nativeOf(canaries, 'abstract socket')]),
  },
  'no-other-processes': {
    meaning: 'The guest signals, slows and inspects no other process.',
    remedy: BUILDERS,
    prove: ({ canaries }) => refused(canaries, ['signal', 'priority', 'process']),
  },
  'no-child-processes': {
    meaning: 'The guest starts no process, and nothing of it outlives it.',
    remedy: BUILDERS,
    prove: ({ canaries }) => refused(canaries, ['child', ...nativeOf(canaries, 'fork')]),
  },
  'no-uncounted-memory': {
    meaning:
      'The guest has no memory that its limit does not count: no shared memory and no files in memory.',
    remedy: BUILDERS,
    prove: ({ canaries, status }) =>
      canaries.open['map shared memory'] === undefined
        ? proof(isFiltered(status), 'the kernel shows a filter; no perl is here to try it')
        : refused(canaries, [
            'map shared memory',
            'make a file in memory',
            ...nativeOf(canaries, 'make a shared segment'),
          ]),
  },
  'system-call-filter': {
    meaning:
      'The kernel refuses system calls that a guest does not need, and those that a later kernel adds.',
    remedy: BUILDERS,
    prove: ({ canaries: { calls }, status }) => {
      if (calls === undefined) {
        return proof(isFiltered(status), 'the kernel shows a filter; no perl is here to try it');
      }
      const { tried, passed } = calls;
      return passed.length === 0 && isFiltered(status)
        ? {
            active: true,
            evidence: `a program behind it tried ${tried} system calls; all were refused`,
          }
        : { active: false, evidence: `it lets through ${passed.join(', ') || 'all'}` };
    },
  },
  'no-jit': {
    meaning:
      'V8 makes no machine code at run time, which most attacks on V8 need. Plugins compute some ten times slower.',
    remedy: FAULT,
    prove: ({ command }) => proof(command.includes(' --jitless '), 'V8 runs with --jitless'),
  },
  'dies-with-host': {
    meaning: 'A guest does not outlive its host, even one in an endless loop.',
    remedy: SETPRIV,
    prove: ({ machine }) =>
      proof(
        diesWithHost(machine),
        `${machine.plan.builder === 'perl' ? 'perl' : 'setpriv'} sets a death signal`,
      ),
  },
  'suspends-when-idle': {
    meaning: 'A plugin without calls gets no processor time: its process is stopped.',
    remedy: SETPRIV,
    prove: ({ machine, stopped }) =>
      proof(diesWithHost(machine) && stopped, 'the kernel shows it stopped after SIGSTOP'),
  },
};

/** Whether a guest ends with its host, also one that is stopped. */
export function diesWithHost({ plan, tools }: Pick<Machine, 'plan' | 'tools'>): boolean {
  return plan.builder === 'perl' || (plan.builder !== 'none' && tools.setpriv !== undefined);
}

/** Deeds that only some machines can try: those that the program without walls did. */
function nativeOf({ open }: Canaries, ...names: readonly string[]): readonly string[] {
  return names.filter((name) => open[name] === 'done');
}

function isFiltered(status: string): boolean {
  return /^Seccomp:\s*2$/m.test(status);
}

/** Shown by a program that failed behind the walls, if it can do the same without them. */
export function refused({ walled, open }: Canaries, names: readonly string[]): Proof {
  // guard: wall-probe-checked
  const untried = names.filter((name) => open[name] !== 'done' || walled[name] === undefined);
  if (untried.length > 0) {
    return { active: false, evidence: `no program here could try to: ${untried.join(', ')}` };
  }
  const done = names.filter((name) => walled[name] === 'done');
  return done.length > 0
    ? { active: false, evidence: `a program behind the same walls could: ${done.join(', ')}` }
    : {
        active: true,
        evidence: `a program behind the same walls was refused, one without could: ${names
          .map((name) => `${name} (${walled[name]})`)
          .join(', ')}`,
      };
}

function proof(active: boolean, sign: string): Proof {
  return { active, evidence: active ? sign : `not the case here: ${sign}` };
}

function limited(limit: string | undefined, unit: string): Proof {
  return limit === undefined
    ? { active: false, evidence: `no limit in ${unit} is set here` }
    : { active: true, evidence: `the limit is ${limit} ${unit}` };
}
