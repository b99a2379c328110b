/** Numbers that the kernel and V8 hold a guest to. */
export interface ProcessLimits {
  /** V8's heap, in MiB; buffers outside of it may take as much again. */
  readonly memoryMb: number;
  readonly cpuSeconds: number;
}

/** What this machine has to put round a process. Found out once, by `machine.ts`. */
export interface Machine {
  readonly node: string;
  readonly nodeMajor: number;
  /** `--permission`, or as older Nodes name it; `undefined` where Node has neither. */
  readonly permissionFlag: string | undefined;
  /** Flags of Node and V8 that exist here, of those that we would like. */
  readonly flags: readonly string[];
  /** A shell whose `ulimit` works; `undefined` off Linux. */
  readonly shell: string | undefined;
  readonly setpriv: string | undefined;
  /** Descriptors that programs started here would have open, and that a guest closes first of all. */
  readonly inheritable: readonly Descriptor[];
  readonly isolation: Isolation;
}

/** An open file, socket or pipe: its number, and what tells it from another of that number. */
export interface Descriptor {
  readonly number: number;
  readonly dev: number;
  readonly ino: number;
}

/** What the kernel lets us take from a guest before it starts. Found out by trying. */
export interface Isolation {
  /** What starts a program in an empty network of its own; empty where nothing can. */
  readonly network: readonly string[];
  /** Whether a superuser's privileges have to be, and can be, dropped. */
  readonly dropPrivileges: boolean;
}

/** Walls that can be left out: they cost something, or this machine may not have them. */
export const OPTIONAL_WALLS = ['no-network', 'no-jit'] as const;

export interface GuestStyle {
  /** Whether it holds one plugin, or those of a trust group. */
  readonly kind: 'alone' | 'shared';
  /** A descriptor of this process with V8's form of the guest's code. */
  readonly codeCache?: number | undefined;
}

const ALONE: GuestStyle = { kind: 'alone' };

export type OptionalWall = (typeof OPTIONAL_WALLS)[number];

/** An empty network costs a guest's start some two milliseconds; no just-in-time compiler, a lot. */
export const DEFAULT_WALLS: readonly OptionalWall[] = ['no-network'];

export function isOptionalWall(name: string): name is OptionalWall {
  return OPTIONAL_WALLS.some((wall) => wall === name);
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A descriptor that the process is given as its fifth, after the pipe to its host. */
  readonly codeCache?: number;
}

/**
 * Address space a Node process has reserved before it runs anything, in MiB, which RLIMIT_DATA
 * counts too: measured 60 on Node 20 and 22, 600 on 24 and 26 (V8's cage), and rounded up.
 */
const RESERVED_MB = { plain: 96, caged: 704 };

/** The environment of a guest: nothing of the host's, and no clue where it runs. */
const ENVIRONMENT = { TZ: 'UTC', LANG: 'C', LC_ALL: 'C' };

/**
 * The command that starts a guest behind every wall that this machine has:
 *
 * ```
 *   unshare, or bwrap: no network but a loopback of its own, no privileges
 *    └─ sh: ulimit (memory, processor, no files, no core dumps)
 *        └─ setpriv: dies with the host, has and gains no privileges
 *            └─ node: permission model, heap limit, no add-ons
 * ```
 */
export function guestCommand(
  machine: Machine,
  limits: ProcessLimits,
  script: string,
  readable: readonly string[],
  use: readonly OptionalWall[],
  { kind, codeCache }: GuestStyle = ALONE,
): Command {
  const node = [
    machine.node,
    ...permissionFlags(machine, readable),
    ...ownFlags(machine, limits, use),
    script,
    kind,
    codeCache === undefined ? 'plain' : 'cached',
    ...machine.inheritable.map(({ number, dev, ino }) => `${number}:${dev}:${ino}`),
  ];
  const guest = behindKernel(machine, limits, node, use);
  return codeCache === undefined ? guest : { ...guest, codeCache };
}

/** The command that starts any program behind the walls that are the kernel's. */
export function behindKernel(
  machine: Machine,
  limits: ProcessLimits,
  program: readonly string[],
  use: readonly OptionalWall[],
): Command {
  const network = use.includes('no-network') ? machine.isolation.network : [];
  return command([...network, ...limiter(machine, limits), ...privileges(machine), ...program]);
}

function limiter(machine: Machine, limits: ProcessLimits): readonly string[] {
  if (machine.shell === undefined) return [];
  return [machine.shell, '-c', `${ulimits(machine, limits)} exec "$@"`, 'guest'];
}

/**
 * The command for a plugin that the operator lets run with the full power of a process: of all walls
 * it keeps the process itself, which can be killed and does not outlive its host.
 */
export function unconfinedCommand(
  machine: Machine,
  script: string,
  environment: Readonly<Record<string, string>>,
): Command {
  const node = [machine.node, script];
  const held = machine.setpriv === undefined ? [] : [machine.setpriv, ...DIES_WITH_HOST];
  return { ...command([...held, ...node]), env: environment };
}

const DIES_WITH_HOST = ['--pdeathsig', 'KILL', '--'];

function privileges({ setpriv, isolation }: Machine): readonly string[] {
  if (setpriv === undefined) return [];
  const drop = isolation.dropPrivileges ? ['--inh-caps=-all', '--bounding-set=-all'] : [];
  return [setpriv, ...drop, '--no-new-privs', ...DIES_WITH_HOST];
}

function command([file = '', ...args]: readonly string[]): Command {
  return { file, args, env: ENVIRONMENT };
}

function permissionFlags({ permissionFlag }: Machine, readable: readonly string[]): string[] {
  if (permissionFlag === undefined) return [];
  return [permissionFlag, ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/** What a guest's Node is started with but for its permissions. V8 compiles differently by these. */
export function ownFlags(
  machine: Machine,
  limits: Pick<ProcessLimits, 'memoryMb'>,
  use: readonly OptionalWall[],
): string[] {
  const jit = use.includes('no-jit') ? ['--jitless'] : [];
  return [`--max-old-space-size=${limits.memoryMb}`, ...YOUNG, ...machine.flags, ...jit];
}

/**
 * A guest keeps little that is young: with V8's own sizes a quarter of its memory would be garbage
 * that waits. Measured: a tenth less memory, and calls take as long.
 */
const YOUNG = ['--max-semi-space-size=1', '--v8-pool-size=1'];

function ulimits(machine: Machine, { memoryMb, cpuSeconds }: ProcessLimits): string {
  const reservedMb = machine.nodeMajor >= 24 ? RESERVED_MB.caged : RESERVED_MB.plain;
  const dataKb = (reservedMb + 2 * memoryMb) * 1024;
  // The soft limit on processor time sends SIGXCPU, which tells it from other kills; the hard one
  // kills whoever ignores that. A hard one below the soft one of the moment would be refused.
  return `unset PWD OLDPWD; ulimit -c 0; ulimit -f 0; ulimit -d ${dataKb}; ulimit -S -t ${cpuSeconds}; ulimit -H -t ${cpuSeconds + 5};`;
}
