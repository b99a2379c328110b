import { majorOf } from './envelope.js';
import { type Heartbeat, SILENT_AFTER_MS } from './heartbeat.js';
import type { RunnerStatus } from './options.js';

/** The runners of a cell, as their heartbeats describe them. */
export interface RunnerTable {
  /** Takes a heartbeat. Returns whether the runner has started since the last one. */
  hear(heartbeat: Heartbeat): boolean;
  /** The runner that is best for a call: it is ready, has the artifact, and has the fewest calls. */
  choose(wanted: Wanted): KnownRunner | undefined;
  find(name: string): KnownRunner | undefined;
  /** A runner that has the artifact, and no version that works with this gateway. */
  findOtherMajor(artifact: string): KnownRunner | undefined;
  /** Counts a call that was sent to a runner, until it has ended. Heartbeats are up to two seconds old. */
  sent(name: string): () => void;
  /** Whether a runner that had a call is still there, as the same process. */
  isLost(name: string, instance: string | undefined): boolean;
  /** Whether the runner has as many calls as it may, or has just refused one. */
  isFull(name: string): boolean;
  /** Sends no calls to the runner until its next heartbeat. */
  avoid(name: string): void;
  list(): readonly RunnerStatus[];
}

export interface Wanted {
  readonly artifact: string;
  readonly tenant: string | undefined;
  /** Runners that have answered `busy`, or are not there. */
  readonly except: ReadonlySet<string>;
  /** The one runner that may run it. Default: each. */
  readonly only?: string;
}

export interface KnownRunner extends Heartbeat {
  readonly heardAtMs: number;
}

interface Entry {
  known: KnownRunner;
  /** Calls of this gateway that are under way. */
  sent: number;
  avoided: boolean;
}

/** Silent runners are listed for this time. */
const FORGET_AFTER_MS = 10 * 60_000;

/** Runners of one cell. More are not noted: each heartbeat may name another one. */
const MAX_RUNNERS = 10_000;

export interface RunnerTableSpec {
  /** The gateway, as heartbeats name it. */
  readonly gateway: string;
  readonly version: string;
  readonly now: () => number;
}

export function makeRunnerTable({ gateway, version, now }: RunnerTableSpec): RunnerTable {
  const runners = new Map<string, Entry>();
  const isSilent = ({ heardAtMs }: KnownRunner): boolean => now() - heardAtMs > SILENT_AFTER_MS;
  const stateOf = (known: KnownRunner): RunnerStatus['state'] => {
    if (isSilent(known)) return 'silent';
    if (known.leaving) return 'leaving';
    return known.hears.includes(gateway) ? 'ready' : 'deaf';
  };
  const isFit = (entry: Entry, { artifact, tenant, except, only }: Wanted): boolean => {
    const { known } = entry;
    return (
      !entry.avoided &&
      !except.has(known.runner) &&
      (only === undefined || only === known.runner) &&
      stateOf(known) === 'ready' &&
      majorOf(known.version) === majorOf(version) &&
      known.artifacts.includes(artifact) &&
      (known.tenants === undefined || (tenant !== undefined && known.tenants.includes(tenant))) &&
      entry.sent < known.maxCalls
    );
  };
  const forget = (): void => {
    for (const [name, { known, sent }] of runners) {
      if (sent === 0 && now() - known.heardAtMs > FORGET_AFTER_MS) runners.delete(name);
    }
  };
  return {
    hear: (heartbeat) => {
      const known = { ...heartbeat, heardAtMs: now() };
      const entry = runners.get(heartbeat.runner);
      if (entry === undefined) {
        forget();
        if (runners.size >= MAX_RUNNERS) return false;
        runners.set(heartbeat.runner, { known, sent: 0, avoided: false });
        return true;
      }
      const isNew = entry.known.instance !== heartbeat.instance;
      entry.known = known;
      entry.avoided = false;
      return isNew;
    },
    choose: (wanted) => {
      let best: Entry | undefined;
      for (const entry of runners.values()) {
        if (isFit(entry, wanted) && (best === undefined || loadOf(entry) < loadOf(best))) {
          best = entry;
        }
      }
      return best?.known;
    },
    find: (name) => runners.get(name)?.known,
    findOtherMajor: (artifact) => {
      const found = [...runners.values()].find(
        ({ known }) =>
          !isSilent(known) &&
          known.artifacts.includes(artifact) &&
          majorOf(known.version) !== majorOf(version),
      );
      return found?.known;
    },
    sent: (name) => {
      const entry = runners.get(name);
      if (entry === undefined) return () => {};
      entry.sent += 1;
      return () => {
        entry.sent -= 1;
      };
    },
    isLost: (name, instance) => {
      const known = runners.get(name)?.known;
      if (known === undefined) return false;
      return isSilent(known) || (instance !== undefined && known.instance !== instance);
    },
    isFull: (name) => {
      const entry = runners.get(name);
      return entry !== undefined && (entry.avoided || entry.sent >= entry.known.maxCalls);
    },
    avoid: (name) => {
      const entry = runners.get(name);
      if (entry !== undefined) entry.avoided = true;
    },
    list: () =>
      [...runners.values()].map(({ known }) => ({
        name: known.runner,
        version: known.version,
        state: stateOf(known),
        artifacts: known.artifacts,
        callsUnderWay: known.callsUnderWay,
        maxCalls: known.maxCalls,
        freeMemory: known.freeMemory,
        ...(known.tenants === undefined ? {} : { tenants: known.tenants }),
        heardAtMs: known.heardAtMs,
      })),
  };
}

function loadOf({ sent, known }: Entry): number {
  return Math.max(sent, known.callsUnderWay);
}
