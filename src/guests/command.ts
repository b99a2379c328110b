import { nameDescriptor } from '../inherited-descriptors.js';
import { behindWalls, DIES_WITH_HOST, type KernelLimits } from './walls/build.js';
import type { Command, Machine, ProcessLimits } from './walls/machine.js';
import type { OptionalWall } from './walls/optional.js';

export interface GuestStyle {
  /** `shared`: for the plugins of a trust group. */
  readonly kind: 'alone' | 'shared';
  /** A descriptor of this process: V8's compiled form of the guest's code. */
  readonly codeCache?: number | undefined;
  /** Its script is that of a guest with an inspector. */
  readonly isInspected?: true;
}

const ALONE: GuestStyle = { kind: 'alone' };

/**
 * Address space in MiB that a Node process reserves at the start, which RLIMIT_DATA counts. Measured:
 * 60 on Node 20 and 22, 600 on 24 and 26 (V8's cage). Rounded up.
 */
const RESERVED_MB = { plain: 96, caged: 704 };

/** Processes and threads of a guest. Node has seven, and starts no more. */
const GUEST_PROCESSES = 64;

/** Open descriptors of a guest. Node has some thirty. */
const GUEST_FILES = 64;

/**
 * Address space of a guest. Node reserves up to 1.3 GiB, and each memory of WebAssembly up to 10 GiB:
 * two databases fit, and twelve for the plugins of a trust group. The tables for all of it take 1/512.
 */
const GUEST_ADDRESS_BYTES = { alone: 32 * 1024 ** 3, shared: 128 * 1024 ** 3 };

/**
 * The command that starts a guest behind every wall of this machine's plan. Inside them is Node, with its
 * permission model, a heap limit and no add-ons.
 */
export function guestCommand(
  machine: Machine,
  limits: ProcessLimits,
  script: string,
  readable: readonly string[],
  use: readonly OptionalWall[],
  { kind, codeCache, isInspected }: GuestStyle = ALONE,
): Command {
  const program = [
    machine.node,
    ...permissionFlags(machine, readable),
    ...ownFlags(machine, limits, use),
    script,
    kind,
    codeCache === undefined ? 'plain' : 'cached',
    ...machine.inheritable.map(nameDescriptor),
  ];
  const guest = behindWalls(machine, {
    program,
    limits: kernelLimits(machine, limits, kind),
    use,
    visible: readable,
  });
  return {
    ...guest,
    memoryMb: limits.memoryMb,
    ...(codeCache === undefined ? {} : { codeCache }),
    ...(isInspected === undefined ? {} : { isInspected }),
  };
}

/** The limits that the kernel enforces on a guest. */
export function kernelLimits(
  { nodeMajor }: Pick<Machine, 'nodeMajor'>,
  { memoryMb, cpuSeconds }: ProcessLimits,
  kind: GuestStyle['kind'] = 'alone',
): KernelLimits {
  const reservedMb = nodeMajor >= 24 ? RESERVED_MB.caged : RESERVED_MB.plain;
  return {
    dataBytes: (reservedMb + 2 * memoryMb) * 1024 * 1024,
    addressBytes: GUEST_ADDRESS_BYTES[kind],
    files: GUEST_FILES,
    cpuSeconds,
    processes: GUEST_PROCESSES,
  };
}

/**
 * The command for a plugin that the operator runs unconfined. The only walls are the process, which
 * can be killed, and its death with the host.
 */
export function unconfinedCommand(
  machine: Machine,
  script: string,
  environment: Readonly<Record<string, string>>,
): Command {
  const node = [machine.node, script];
  const { setpriv } = machine.tools;
  const prefix = setpriv === undefined ? [] : [setpriv, ...DIES_WITH_HOST];
  const [file = '', ...args] = [...prefix, ...node];
  return { file, args, env: environment };
}

function permissionFlags(
  { permissionFlag, droppedFlags }: Machine,
  readable: readonly string[],
): string[] {
  if (permissionFlag === undefined) return [];
  // guard: node-permission-model-on
  return [permissionFlag, ...droppedFlags, ...readable.map((path) => `--allow-fs-read=${path}`)];
}

/** The flags of a guest's Node except its permissions. V8's compiled code depends on them. */
export function ownFlags(
  machine: Machine,
  limits: Pick<ProcessLimits, 'memoryMb'>,
  use: readonly OptionalWall[],
): string[] {
  const jit = use.includes('no-jit') ? ['--jitless'] : [];
  return [`--max-old-space-size=${limits.memoryMb}`, ...YOUNG, COLLECTS, ...machine.flags, ...jit];
}

/**
 * A guest has few young objects: with V8's own sizes a quarter of its memory would be garbage.
 * Measured: a tenth less memory, and calls take as long.
 */
const YOUNG = ['--max-semi-space-size=1', '--v8-pool-size=1'];

/** A suspended guest would keep its garbage: the guest collects it before. Its code removes the function `gc`. */
const COLLECTS = '--expose-gc';
