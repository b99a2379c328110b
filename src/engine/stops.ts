import type { Approval } from '../approval/approval-api.js';
import { BulkheadError, messageOf } from '../errors.js';
import type { EventBus } from '../events.js';
import type { OpenCalls } from './call/open-calls.js';
import type { Instance } from './instance/instance.js';
import { requireStopName } from './node/open-stops.js';
import { openStopFiles } from './node/stop-files.js';
import type { ProgramRunner } from './programs/programs.js';
import { type OpenStopGate, openStopGate, type StopGate } from '../stops/gate.js';
import {
  explainStop,
  explainTarget,
  isCovered,
  type Stop,
  type Stops,
  stoppedError,
} from '../stops/stop.js';

export interface EngineStops {
  readonly stops: Stops;
  readonly gate: StopGate;
  /** Applies the stops to the parts of the engine, also those that hold already. */
  connect(parts: StoppableParts): void;
  close(): void;
}

/** What a stop ends. */
export interface StoppableParts {
  readonly approval: Pick<Approval, 'withdraw'>;
  readonly openCalls: OpenCalls;
  readonly programs: Pick<ProgramRunner, 'stop'>;
  /** The open instances of all plugins, also of those that are being replaced. */
  readonly instances: () => readonly (readonly [plugin: string, instance: Instance])[];
  /** Loads plugins again that could not be loaded while they were stopped. */
  readonly onResumed: () => void;
}

/** Opens the stops of a storage directory for an engine. */
export function openEngineStops(storageDirectory: string, events: EventBus): EngineStops {
  let parts: StoppableParts | undefined;
  let resumedBy: string | undefined;
  const tell = (type: 'work-stopped' | 'work-resumed', stop: Stop, by: string | undefined): void =>
    events.emit({ type, ...subjectOf(stop), ...(by === undefined ? {} : { by }) });
  const apply = (stop: Stop): void => {
    tell('work-stopped', stop, stop.by);
    if (parts !== undefined) end(stop, parts);
  };
  const gate = openStopGate({
    files: openStopFiles(storageDirectory),
    onAdded: apply,
    onRemoved: (stop) => {
      tell('work-resumed', stop, resumedBy);
      parts?.onResumed();
    },
  });
  return {
    gate,
    stops: {
      list: () => gate.list(),
      stop: async (target, { by, reason }) => {
        requireStopName(by);
        const stop = { target, by, ...(reason === undefined ? {} : { reason }), atMs: Date.now() };
        addTo(gate, stop, storageDirectory);
      },
      resume: async (target, { by }) => {
        requireStopName(by);
        resumedBy = by;
        try {
          return gate.remove(target);
        } finally {
          resumedBy = undefined;
        }
      },
    },
    connect: (given) => {
      parts = given;
      for (const stop of gate.list()) apply(stop);
    },
    close: () => gate.close(),
  };
}

/** Calls first, so that their callers learn why; then the processes, by force. */
function end(stop: Stop, { openCalls, approval, programs, instances }: StoppableParts): void {
  const why = stoppedError(stop);
  openCalls.stop(stop);
  // guard: stop-withdraws-approvals
  approval.withdraw(({ plugin, tenant }) => isCovered(stop, plugin, tenant), why);
  programs.stop(stop);
  const guestEnd = { cause: 'stopped', detail: explainStop(stop) } as const;
  for (const [plugin, instance] of instances()) {
    // guard: stopped-guests-killed
    if (isCovered(stop, plugin, undefined)) instance.halt(guestEnd);
    else if ('tenant' in stop.target) instance.tenants?.halt(stop.target.tenant, guestEnd);
  }
}

function subjectOf({ target, reason }: Stop) {
  return {
    stopped: 'everything' in target ? 'everything' : 'plugin' in target ? 'plugin' : 'tenant',
    ...('plugin' in target ? { plugin: target.plugin } : {}),
    ...('tenant' in target ? { tenant: target.tenant } : {}),
    ...(reason === undefined ? {} : { reason }),
  } as const;
}

function addTo(gate: OpenStopGate, stop: Stop, directory: string): void {
  try {
    gate.add(stop);
  } catch (error) {
    throw new BulkheadError(
      'INVALID_OPTIONS',
      `${explainTarget(stop.target)} is stopped in this process only, because the stop cannot be stored in ${directory}: ${messageOf(error)}. Make that directory writable, and stop again.`,
      { option: 'storageDirectory' },
      { cause: error },
    );
  }
}
