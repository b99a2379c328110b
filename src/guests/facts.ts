import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isRecord } from '../../sandbox/wire/parse.js';
import { type NetworkTrial, tryNetwork } from './canary.js';
import type { Machine, OptionalWall, ProcessLimits } from './command.js';
import type { Guest } from './guest.js';
import { readProcessorUse } from './processor.js';

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
  /** Which network the guest is in, and which its host. */
  readonly networks: { readonly guest: string; readonly host: string };
  readonly networkTrial: NetworkTrial;
  /** Whether the kernel showed it stopped when it was stopped. */
  readonly stopped: boolean;
}

/** How a guest was started, as far as it is not seen on the guest. */
export interface GuestSetting {
  readonly machine: Machine;
  readonly limits: ProcessLimits;
  readonly use: readonly OptionalWall[];
}

/**
 * Looks at a guest that is ready, and nobody's yet: what it says is still our own code's word. The
 * guest is stopped when it is done.
 */
export async function gatherFacts(guest: Guest, setting: GuestSetting): Promise<GuestFacts> {
  const { machine, limits, use } = setting;
  const [report, networkTrial] = await Promise.all([
    guest.ready,
    use.includes('no-network') ? tryNetwork(machine, limits) : UNTRIED,
  ]);
  const { pid } = guest;
  return {
    pid,
    machine,
    networkTrial,
    report: isRecord(report) ? report : {},
    command: readProcess(pid, 'cmdline').replaceAll('\0', ' '),
    limits: readProcess(pid, 'limits'),
    status: readProcess(pid, 'status'),
    environment: readProcess(pid, 'environ'),
    descriptors: listDescriptors(pid),
    hostDescriptors: listDescriptors('self'),
    networks: { guest: networkOf(String(pid)), host: networkOf('self') },
    // The last of all: what is stopped answers no more.
    stopped: await stops(guest),
  };
}

const UNTRIED: NetworkTrial = { walled: 'untried', open: 'untried' };

/** A signal takes effect when its process is next looked at by the kernel, and not at once. */
const STOP_TRIES = 100;

async function stops(guest: Guest): Promise<boolean> {
  guest.rest();
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
