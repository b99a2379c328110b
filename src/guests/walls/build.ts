import { existsSync, readFileSync } from 'node:fs';
import { GUEST_ENVIRONMENT } from './environment.js';
import type { Command, Machine } from './machine.js';
import type { OptionalWall } from './optional.js';
import { launcherText } from './launcher.js';
import { NAMESPACES, type Namespace, type WallPlan } from './plan.js';
import { seccompFilter, selfBytes } from './seccomp.js';
import type { Architecture, Confined } from './system-calls.js';
import { freeUser, nextStart } from './users.js';

/** A program that runs behind the walls of a guest. */
export interface WalledProgram {
  readonly program: readonly string[];
  readonly limits: KernelLimits;
  readonly use: readonly OptionalWall[];
  /** Files and directories that it sees in addition to node, its libraries and three devices. Read-only. */
  readonly visible: readonly string[];
  /** Default: that of a guest, which has no variable of the host. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: `guest`. */
  readonly confined?: Confined;
  /** Starts it with the host's user id. Default: false. */
  readonly hostUser?: boolean;
}

/** Limits of the kernel. `undefined`: none. */
export interface KernelLimits {
  readonly dataBytes: number | undefined;
  /** Of address space. The kernel counts no page table in `dataBytes`, and each page of one maps 2 MiB. */
  readonly addressBytes?: number | undefined;
  /** Open descriptors. A pipe holds 64 KiB that `dataBytes` does not count. */
  readonly files?: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** Processes and threads, counted if the program has a user or a user namespace of its own. */
  readonly processes: number;
}

/** Files that node needs in addition to itself, its libraries and its script. */
const DEVICES = ['/dev/null', '/dev/zero', '/dev/urandom'];

/** The descriptor of the filter in a process that bubblewrap starts. */
const FILTER_DESCRIPTOR = 6;

/** The command that starts a program behind every wall of the machine's plan. */
export function behindWalls(machine: Machine, walled: WalledProgram): Command {
  const { plan } = machine;
  const { environment: env = GUEST_ENVIRONMENT } = walled;
  const namespaces = plan.namespaces.filter(
    // guard: network-namespace-used
    (name) => name !== 'net' || walled.use.includes('no-network'),
  );
  const [file = '', ...args] = BUILDERS[plan.builder](machine, walled, namespaces);
  const filter =
    plan.builder === 'bwrap' && plan.systemCallFilter
      ? machine.filters?.[walled.confined ?? 'guest']
      : undefined;
  return { file, args, env, ...(filter === undefined ? {} : { filter }) };
}

type Builder = (
  machine: Machine,
  walled: WalledProgram,
  namespaces: readonly Namespace[],
) => readonly string[];

const BUILDERS: Readonly<Record<WallPlan['builder'], Builder>> = {
  perl: byPerl,
  bwrap: byBubblewrap,
  chain: byChain,
  none: (_, { program }) => program,
};

/** The usual limit. A host's own limit stays if it is lower. */
const STACK_BYTES = 8 * 1024 * 1024;

const RESOURCE = {
  cpu: 0,
  fileSize: 1,
  data: 2,
  stack: 3,
  core: 4,
  processes: 6,
  files: 7,
  address: 9,
  pendingSignals: 11,
};

/** Signals and timers that wait in the kernel, which no other limit counts. */
const PENDING_SIGNALS = 1024;

/** More than start anywhere on a machine while a guest starts. */
const MORE_TASKS = 4096;

/**
 * A limit for a program whose processes and threads are counted together with all others of its user: what
 * runs on this machine now, and some more. So it cannot take the user's whole limit.
 */
function tasksOfUser(): number | undefined {
  try {
    const [, tasks] = readFileSync('/proc/loadavg', 'latin1').split('/');
    const now = Number.parseInt(tasks ?? '', 10);
    return now > 0 ? now + MORE_TASKS : undefined;
  } catch {
    return undefined;
  }
}

/** Below the size of every core, and the value with which the kernel starts no program that reads one. */
const NO_CORE = 1;

/** Files that everything behind the walls sees, as far as they exist here. */
function seenOf({ node, libraries }: Machine): readonly string[] {
  return [node, ...libraries, ...DEVICES];
}

function byPerl(
  machine: Machine,
  walled: WalledProgram,
  namespaces: readonly Namespace[],
): readonly string[] {
  const { plan, architecture, tools } = machine;
  if (architecture === undefined || tools.perl === undefined) return walled.program;
  const { limits, visible, confined = 'guest', hostUser = false } = walled;
  const user = hostUser ? undefined : plan.ownUser;
  const flags = namespaces.reduce((all, name) => all + NAMESPACES[name], 0);
  const counted = user !== undefined || namespaces.includes('user');
  const limit = (resource: number, soft: number, hard = soft): string[] => [
    'limit',
    `${resource},${soft},${hard}`,
  ];
  // A host whose own limit is lower keeps it.
  const most = (resource: number, value: number | undefined): string[] =>
    value === undefined ? [] : ['most', `${resource},${value}`];
  return [
    tools.perl,
    '-e',
    launcherText(architecture),
    // guard: guest-dies-with-host
    'host',
    String(process.pid),
    ...(user === undefined
      ? []
      : ['user', `${user.first},${user.count},${String(nextStart(user))}`]),
    ...(flags === 0 ? [] : ['namespaces', String(flags)]),
    ...(plan.ownRoot ? ['root', mountPoint([...seenOf(machine), ...visible])] : []),
    ...seenOf(machine).flatMap((path) => ['see', path]),
    ...visible.toSorted(byLength).flatMap((path) => ['show', path, 'readable', path]),
    ...(plan.landlock > 0 ? ['landlock', String(plan.landlock)] : []),
    // Without a root of its own, the loader reads its cache, and Landlock has to allow that.
    ...(plan.landlock > 0 && !plan.ownRoot
      ? machine.loaderFiles.flatMap((path) => ['see', path])
      : []),
    // guard: stack-limit
    ...most(RESOURCE.stack, STACK_BYTES),
    // guard: core-dumps-off
    ...most(RESOURCE.core, NO_CORE),
    // guard: data-segment-limit
    ...most(RESOURCE.data, limits.dataBytes),
    // guard: address-space-limit
    ...most(RESOURCE.address, limits.addressBytes),
    // guard: descriptor-limit
    ...most(RESOURCE.files, limits.files),
    // guard: file-size-limit
    ...limit(RESOURCE.fileSize, 0),
    ...(limits.cpuSeconds === undefined
      ? []
      : limit(RESOURCE.cpu, limits.cpuSeconds, limits.cpuSeconds + CPU_GRACE_SECONDS)),
    // guard: pending-signals-limit
    ...most(RESOURCE.pendingSignals, PENDING_SIGNALS),
    // guard: process-count-limit
    ...most(
      RESOURCE.processes,
      counted && machine.countsPerNamespace ? limits.processes : tasksOfUser(),
    ),
    ...(plan.systemCallFilter
      ? ['seccomp', filterText(architecture, confined), 'marker', selfBytes().toString('hex')]
      : []),
    '--',
    ...walled.program,
  ];
}

const filterTexts = new Map<string, string>();

/** The filter as hexadecimal digits. Made once: to make it takes up to a millisecond. */
function filterText(architecture: Architecture, confined: Confined): string {
  const key = `${architecture} ${confined}`;
  const text = filterTexts.get(key) ?? seccompFilter(architecture, confined).toString('hex');
  filterTexts.set(key, text);
  return text;
}

/**
 * ```
 *   setpriv: the guest's user id, dies with the host
 *    └─ sh: ulimit
 *        └─ bwrap: namespaces, a root of its own, no capability, a filter of system calls
 *            └─ node
 * ```
 */
function byBubblewrap(
  machine: Machine,
  walled: WalledProgram,
  namespaces: readonly Namespace[],
): readonly string[] {
  const { plan, tools } = machine;
  if (tools.bwrap === undefined) return walled.program;
  const user = walled.hostUser === true ? undefined : plan.ownUser;
  const filter = plan.systemCallFilter ? ['--seccomp', '9'] : [];
  return [
    ...privileges(machine, user === undefined ? undefined : freeUser(user), false),
    ...limiter(
      machine,
      walled.limits,
      plan.systemCallFilter
        ? `exec 9</proc/self/fd/${FILTER_DESCRIPTOR} ${FILTER_DESCRIPTOR}<&-;`
        : '',
      { isCounted: user !== undefined },
    ),
    tools.bwrap,
    ...namespaces.filter((name) => name !== 'mount').map((name) => `--unshare-${name}`),
    '--die-with-parent',
    '--cap-drop',
    'ALL',
    ...seenOf(machine).flatMap((path) => [isDevice(path) ? '--dev-bind' : '--ro-bind', path, path]),
    ...walled.visible.toSorted(byLength).flatMap((path) => ['--ro-bind', path, path]),
    '--remount-ro',
    '/',
    ...filter,
    '--',
    ...walled.program,
  ];
}

function isDevice(path: string): boolean {
  return DEVICES.includes(path);
}

/**
 * ```
 *   setpriv: dies with the host
 *    └─ unshare: namespaces
 *        └─ sh: a root of its own (one mount for all files), ulimit
 *            └─ setpriv: no privileges
 *                └─ node
 * ```
 */
function byChain(
  machine: Machine,
  walled: WalledProgram,
  namespaces: readonly Namespace[],
): readonly string[] {
  const { plan, tools } = machine;
  const { unshare, setpriv } = tools;
  const apart = unshare === undefined ? [] : namespaces;
  const user = walled.hostUser === true || !plan.ownUser ? undefined : freeUser(plan.ownUser);
  const flags = [
    ...apart.filter((name) => name !== 'user').map((name) => `--${name}`),
    ...(apart.includes('user') ? ['--user', ...(plan.ownRoot ? ['--map-root-user'] : [])] : []),
    ...(apart.includes('pid') ? ['--fork', '--kill-child'] : []),
  ];
  const outer = apart.length > 0 && unshare !== undefined ? [unshare, ...flags, '--'] : [];
  // Process 1 of a PID namespace ignores signals, so the shell stays, and node is its child.
  const stay = apart.includes('pid');
  const at = mountPoint([...seenOf(machine), ...walled.visible]);
  const root = plan.ownRoot ? rootScript(at, seenOf(machine), walled.visible) : '';
  const identity =
    user === undefined
      ? ['--user', `--map-user=${hostId('uid')}`, `--map-group=${hostId('gid')}`]
      : [`--setuid=${user}`, `--setgid=${user}`];
  const groups = user === undefined ? [] : ['--clear-groups'];
  const enter =
    plan.ownRoot && unshare !== undefined
      ? [
          ...(setpriv === undefined ? [] : [setpriv, ...groups, '--no-new-privs', '--']),
          unshare,
          ...identity,
          `--root=${at}`,
          '--wd=/',
          '--',
        ]
      : privileges(machine, user, true);
  return [
    ...(stay ? privileges(machine, undefined, false) : []),
    ...outer,
    ...limiter(machine, walled.limits, root, { stay, isCounted: user !== undefined }),
    ...enter,
    ...walled.program,
  ];
}

/**
 * Where the root of a guest is mounted, in its own mount namespace: a directory that exists, and that
 * hides none of the files that the guest is to see.
 */
function mountPoint(seen: readonly string[]): string {
  const free = MOUNT_POINTS.find(
    (point) => !seen.some((path) => path.startsWith(point)) && existsSync(point),
  );
  return free ?? '/tmp';
}

const MOUNT_POINTS = ['/tmp', '/mnt', '/srv', '/media', '/run'];

function hostId(kind: 'uid' | 'gid'): string {
  return String(kind === 'uid' ? process.getuid?.() : process.getgid?.());
}

/** Builds the root with three processes, however many files it has: `mount --all` makes all mounts. */
function rootScript(at: string, seen: readonly string[], visible: readonly string[]): string {
  const places = [...seen, ...visible];
  const parents = new Set(places.map((path) => path.slice(0, path.lastIndexOf('/'))));
  const table = places.map((path) => `${escaped(path)} ${escaped(at + path)} none rbind,ro 0 0`);
  return [
    'set -e;',
    `mount --make-rprivate /; mount -t tmpfs -o nosuid,nodev,mode=755,size=64k tmpfs ${at};`,
    `mkdir -p ${[...parents].map((path) => quoted(at + path)).join(' ')};`,
    ...places.map((path) => {
      const place = quoted(at + path);
      return `if test -d ${quoted(path)}; then mkdir -p ${place}; else : >${place}; fi;`;
    }),
    // mount reads its table from regular files alone.
    `cat >${at}/.mounts <<'END'\n${table.join('\n')}\nEND\n`,
    `mount --all --fstab ${at}/.mounts; rm ${at}/.mounts;`,
    `mount -o remount,bind,ro ${at}; set +e;`,
  ].join(' ');
}

/** A path in a table of mounts. */
function escaped(path: string): string {
  return path.replaceAll(
    /[\s\\]/g,
    (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
}

/** A path in a shell's script. */
function quoted(path: string): string {
  return `'${path.replaceAll("'", String.raw`'\''`)}'`;
}

function limiter(
  { tools: { shell } }: Machine,
  { dataBytes, addressBytes, files, cpuSeconds, processes }: KernelLimits,
  before: string,
  { stay = false, isCounted }: { readonly stay?: boolean; readonly isCounted: boolean },
): readonly string[] {
  if (shell === undefined) return [];
  const kilobytes = (flag: string, bytes: number | undefined): string =>
    bytes === undefined ? '' : `ulimit -${flag} ${Math.ceil(bytes / 1024)};`;
  const data = kilobytes('d', dataBytes);
  const address = kilobytes('v', addressBytes);
  const descriptors = files === undefined ? '' : `ulimit -n ${files} 2>/dev/null;`;
  const most = isCounted ? processes : tasksOfUser();
  // Shells differ in the flag.
  const count =
    most === undefined ? '' : `ulimit -u ${most} 2>/dev/null || ulimit -p ${most} 2>/dev/null;`;
  // The soft limit is set first: a hard limit below the current soft limit is refused.
  const cpu =
    cpuSeconds === undefined
      ? ''
      : `ulimit -S -t ${cpuSeconds}; ulimit -H -t ${cpuSeconds + CPU_GRACE_SECONDS};`;
  const run = stay ? '"$@"; exit $?' : 'exec "$@"';
  // A host whose own limit is lower keeps it.
  const stack = `ulimit -s ${STACK_BYTES / 1024} 2>/dev/null;`;
  const limits = `unset PWD OLDPWD; ulimit -c 0; ulimit -f 0; ${stack} ${data} ${address} ${descriptors} ${count} ${cpu}`;
  return [shell, '-c', `${before} ${limits} ${run}`, 'guest'];
}

function privileges(
  { tools: { setpriv }, superuser }: Machine,
  user: number | undefined,
  dropped: boolean,
): readonly string[] {
  if (setpriv === undefined) return [];
  const identity =
    user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  // guard: root-privileges-dropped
  const none = dropped && superuser ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  const lock = dropped ? ['--no-new-privs'] : [];
  return [setpriv, ...identity, ...none, ...lock, ...DIES_WITH_HOST];
}

/** The launcher of perl sets the signal itself. */
export const DIES_WITH_HOST: readonly string[] = ['--pdeathsig', 'KILL', '--'];

/** Shorter first: a directory before what lies in it. */
function byLength(a: string, b: string): number {
  return a.length - b.length;
}

/** Seconds from SIGXCPU, which identifies the cause, to SIGKILL. */
const CPU_GRACE_SECONDS = 5;
