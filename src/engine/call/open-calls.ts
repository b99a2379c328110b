import type { CatalogTool } from '../../catalog/catalog.js';
import type { OpenCall as GuestCall } from '../instance/in-flight.js';
import { isCovered, type Stop, stoppedError } from '../../stops/stop.js';
import type { CallOptions } from '../types/options.js';
import { type Failure, failureOf } from '../types/result.js';

/** A call that waits in a queue or runs. */
export interface OpenCallHandle {
  readonly tool: Pick<CatalogTool, 'id' | 'plugin'>;
  readonly options: Pick<CallOptions, 'tenant'>;
  /** The call in its guest. Absent if it waits, or does not run in a guest of this engine. */
  readonly inGuest?: GuestCall;
  /** Answers the caller with the failure, and ends the call. Later calls of it do nothing. */
  stop(failure: Failure): void;
}

/** A running call, as a request of its guest finds it. */
export interface FoundCall {
  readonly call: GuestCall;
  /** Aborts when the call ends. */
  readonly ended: AbortSignal;
}

/** The queued and running calls of an engine, wherever they run. */
export interface OpenCalls {
  add(call: OpenCallHandle): void;
  remove(call: OpenCallHandle): void;
  /** The running call of a guest with that id. */
  find(callId: string): FoundCall | undefined;
  /** Ends the calls that a stop covers. */
  stop(stop: Stop): void;
}

export function makeOpenCalls(): OpenCalls {
  const open = new Set<OpenCallHandle>();
  const ends = new WeakMap<OpenCallHandle, AbortController>();
  return {
    add: (call) => void open.add(call),
    remove: (call) => {
      open.delete(call);
      ends.get(call)?.abort();
    },
    find: (callId) => {
      for (const handle of open) {
        const { inGuest } = handle;
        if (inGuest?.callId !== callId) continue;
        const end = ends.get(handle) ?? new AbortController();
        ends.set(handle, end);
        return { call: inGuest, ended: end.signal };
      }
      return undefined;
    },
    stop: (stop) => {
      for (const call of open) {
        const { tool, options } = call;
        // guard: stopped-calls-end
        if (!isCovered(stop, tool.plugin, options.tenant)) continue;
        call.stop(failureOf(stoppedError(stop), tool));
      }
    },
  };
}
