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
}

/** An open file, socket or pipe: its number, and what tells it from another of that number. */
export interface Descriptor {
  readonly number: number;
  readonly dev: number;
  readonly ino: number;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
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
 *   sh: ulimit (memory, processor, no files, no core dumps)
 *    └─ setpriv: dies with the host, gains no privileges
 *        └─ node: permission model, heap limit, no add-ons
 * ```
 */
export function guestCommand(
  machine: Machine,
  limits: ProcessLimits,
  script: string,
  readable: readonly string[],
): Command {
  const node = [
    machine.node,
    ...nodeFlags(machine, limits, readable),
    script,
    ...machine.inheritable.map(({ number, dev, ino }) => `${number}:${dev}:${ino}`),
  ];
  const held = machine.setpriv === undefined ? node : [machine.setpriv, ...PRIVILEGES, ...node];
  if (machine.shell === undefined) return command(held);
  return command([machine.shell, '-c', `${ulimits(machine, limits)} exec "$@"`, 'guest', ...held]);
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
  const held = machine.setpriv === undefined ? node : [machine.setpriv, ...DIES_WITH_HOST, ...node];
  return { ...command(held), env: environment };
}

const DIES_WITH_HOST = ['--pdeathsig', 'KILL', '--'];
const PRIVILEGES = ['--no-new-privs', ...DIES_WITH_HOST];

function command([file = '', ...args]: readonly string[]): Command {
  return { file, args, env: ENVIRONMENT };
}

function nodeFlags(machine: Machine, limits: ProcessLimits, readable: readonly string[]): string[] {
  const permission =
    machine.permissionFlag === undefined
      ? []
      : [machine.permissionFlag, ...readable.map((path) => `--allow-fs-read=${path}`)];
  return [...permission, `--max-old-space-size=${limits.memoryMb}`, ...machine.flags];
}

function ulimits(machine: Machine, { memoryMb, cpuSeconds }: ProcessLimits): string {
  const reservedMb = machine.nodeMajor >= 24 ? RESERVED_MB.caged : RESERVED_MB.plain;
  const dataKb = (reservedMb + 2 * memoryMb) * 1024;
  // The soft limit on processor time sends SIGXCPU, which tells it from other kills; the hard one
  // kills whoever ignores that. A hard one below the soft one of the moment would be refused.
  return `unset PWD OLDPWD; ulimit -c 0; ulimit -f 0; ulimit -d ${dataKb}; ulimit -S -t ${cpuSeconds}; ulimit -H -t ${cpuSeconds + 5};`;
}
