import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isRecord } from '../../../sandbox/wire/json.js';
import type { Machine, ProcessLimits } from './machine.js';
import type { OptionalWall } from './optional.js';
import type { Guest } from '../guest.js';
import { readProcessorUse } from '../../processor.js';
import { type Canaries, runCanaries } from './canary.js';
import { findLibraries } from './libraries.js';

/** What the kernel shows of a standby guest's process, and what the guest reports of itself. */
export interface GuestFacts {
  readonly pid: number;
  readonly machine: Machine;
  readonly report: Readonly<Record<string, unknown>>;
  /** The command line. This text and all below are empty if they cannot be read. */
  readonly command: string;
  readonly limits: string;
  readonly status: string;
  readonly environment: string;
  /** Where the kernel puts cores: the name of a file, or `|` and a program. */
  readonly coresTo: string;
  /** The targets of its open descriptors. */
  readonly descriptors: readonly string[] | undefined;
  /** The targets of the host's open descriptors. */
  readonly hostDescriptors: readonly string[] | undefined;
  /** The network namespaces of the guest and of the host. */
  readonly networks: { readonly guest: string; readonly host: string };
  readonly canaries: Canaries;
  /** Whether the kernel showed the guest as stopped after SIGSTOP. */
  readonly stopped: boolean;
}

/** How a guest was started. */
export interface GuestSetting {
  readonly machine: Machine;
  readonly limits: ProcessLimits;
  readonly use: readonly OptionalWall[];
  /** Files and directories that it can read, in addition to node. */
  readonly visible: readonly string[];
}

/**
 * Inspects a standby guest that is ready. It has no plugin yet, so that its report is our own code's.
 * The guest is stopped afterwards.
 */
export async function gatherFacts(guest: Guest, setting: GuestSetting): Promise<GuestFacts> {
  const { machine } = setting;
  const { perl } = machine.tools;
  const perlLibraries = perl === undefined ? [] : await findLibraries(perl);
  const [report, canaries] = await Promise.all([
    guest.ready,
    runCanaries({ ...setting, perlLibraries }),
  ]);
  const { pid } = guest;
  return {
    pid,
    machine,
    canaries,
    report: isRecord(report) ? report : {},
    command: readProcess(pid, 'cmdline').replaceAll('\0', ' '),
    limits: readProcess(pid, 'limits'),
    status: readProcess(pid, 'status'),
    environment: readProcess(pid, 'environ'),
    coresTo: readProcess('sys', 'kernel/core_pattern'),
    descriptors: listDescriptors(pid),
    hostDescriptors: listDescriptors('self'),
    networks: { guest: networkOf(String(pid)), host: networkOf('self') },
    // Last: a stopped guest does not answer.
    stopped: await stops(guest),
  };
}

/** A signal takes effect when the kernel next schedules the process. */
const STOP_TRIES = 100;

async function stops(guest: Guest): Promise<boolean> {
  guest.suspend();
  for (let tries = 0; tries < STOP_TRIES; tries += 1) {
    if (readProcessorUse(guest.pid)?.stopped === true) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return false;
}

function networkOf(process: string): string {
  try {
    return readlinkSync(`/proc/${process}/ns/net`);
  } catch {
    return '';
  }
}

/** The soft limit of that name in `/proc/PID/limits`; `undefined` if there is none. */
export function limitOf(limits: string, name: string): string | undefined {
  const line = limits.split('\n').find((candidate) => candidate.startsWith(name));
  const soft = line?.slice(name.length).trim().split(/\s+/)[0];
  return soft === 'unlimited' ? undefined : soft;
}

function readProcess(pid: number | 'sys', file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function listDescriptors(pid: number | 'self'): readonly string[] | undefined {
  try {
    const directory = `/proc/${pid}/fd`;
    return readdirSync(directory).flatMap((number) => {
      try {
        return [readlinkSync(`${directory}/${number}`)];
      } catch {
        // Closed since: the descriptor that listed the others.
        return [];
      }
    });
  } catch {
    return undefined;
  }
}
