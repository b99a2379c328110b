import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isRecord } from '../../sandbox/wire/parse.js';
import type { Machine } from './command.js';
import type { Guest } from './guest.js';

/** What can be known of a guest's process from outside, and what it said of itself while blank. */
export interface GuestFacts {
  readonly pid: number;
  readonly machine: Machine;
  readonly report: Readonly<Record<string, unknown>>;
  /** Its command line, as the kernel has it; empty where it cannot be read, as all below. */
  readonly command: string;
  readonly limits: string;
  readonly status: string;
  readonly environment: string;
  /** What its open descriptors lead to. */
  readonly descriptors: readonly string[] | undefined;
  /** What those of the host lead to. */
  readonly hostDescriptors: readonly string[] | undefined;
}

/** Looks at a guest that is ready, and nobody's yet: what it says is still our own code's word. */
export async function gatherFacts(guest: Guest, machine: Machine): Promise<GuestFacts> {
  const report = await guest.ready;
  const { pid } = guest;
  return {
    pid,
    machine,
    report: isRecord(report) ? report : {},
    command: readProcess(pid, 'cmdline').replaceAll('\0', ' '),
    limits: readProcess(pid, 'limits'),
    status: readProcess(pid, 'status'),
    environment: readProcess(pid, 'environ'),
    descriptors: listDescriptors(pid),
    hostDescriptors: listDescriptors('self'),
  };
}

/** The soft limit of that name in `/proc/PID/limits`; `undefined` where there is none. */
export function limitOf(limits: string, name: string): string | undefined {
  const line = limits.split('\n').find((candidate) => candidate.startsWith(name));
  const soft = line?.slice(name.length).trim().split(/\s+/)[0];
  return soft === 'unlimited' ? undefined : soft;
}

function readProcess(pid: number, file: string): string {
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
        // Closed since: the one that listed the others.
        return [];
      }
    });
  } catch {
    return undefined;
  }
}
