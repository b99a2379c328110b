import type { Descriptor } from '../../inherited-descriptors.js';
import type { WallPlan } from './plan.js';
import type { Architecture, Confined } from './system-calls.js';

/** Limits that the kernel and V8 enforce on a guest. */
export interface ProcessLimits {
  /** V8's heap in MiB. Buffers outside the heap may use as much again. */
  readonly memoryMb: number;
  readonly cpuSeconds: number;
}

/** What this machine has to confine a process. Inspected once, by `machine.ts`. */
export interface Machine {
  readonly node: string;
  readonly nodeMajor: number;
  /** `--permission`, or its older name; `undefined` if Node has neither. */
  readonly permissionFlag: string | undefined;
  /** Permissions that a guest needs to open its pipe, and drops before it reads a plugin. */
  readonly droppedFlags: readonly string[];
  /** Those of the wanted flags that this Node knows. */
  readonly flags: readonly string[];
  /** `undefined` off Linux, and on architectures whose system calls are not known here. */
  readonly architecture: Architecture | undefined;
  /** Whether the host runs as root. */
  readonly superuser: boolean;
  readonly tools: Tools;
  /** Descriptors that a program started here would inherit. Guests and bundlers close them first. */
  readonly inheritable: readonly Descriptor[];
  /** The libraries that the loader adds to node. */
  readonly libraries: readonly string[];
  /** Other files that the loader reads, if they exist. */
  readonly loaderFiles: readonly string[];
  /** Whether the kernel counts the processes of each user namespace: Linux 5.14 and later. */
  readonly countsPerNamespace: boolean;
  /** Descriptors of this process: the filters, which bubblewrap reads. perl needs none. */
  readonly filters: Readonly<Record<Confined, number>> | undefined;
  readonly plan: WallPlan;
}

/** Programs that build walls. `undefined`: not installed. */
export interface Tools {
  readonly perl: string | undefined;
  readonly bwrap: string | undefined;
  readonly unshare: string | undefined;
  readonly setpriv: string | undefined;
  /** A shell whose `ulimit` works. */
  readonly shell: string | undefined;
}

/** A process to start. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A descriptor that the process gets as number 4, after the pipe to its host. */
  readonly codeCache?: number;
  /** The limit of the guest's heap, in MiB. */
  readonly memoryMb?: number;
  /** The process gets a pipe as number 4: the way to its inspector. It has no code cache then. */
  readonly isInspected?: true;
  /** A descriptor that the process gets as number 6: its filter of system calls. */
  readonly filter?: number;
}
