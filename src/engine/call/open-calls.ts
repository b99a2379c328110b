import type { CatalogTool } from '../../catalog/catalog.js';
import { isCovered, type Stop, stoppedError } from '../../stops/stop.js';
import type { CallOptions } from '../types/options.js';
import { type Failure, failureOf } from '../types/result.js';

/** A call that waits in a queue or runs. */
export interface OpenCallHandle {
  readonly tool: Pick<CatalogTool, 'id' | 'plugin'>;
  readonly options: Pick<CallOptions, 'tenant'>;
  /** Answers the caller with the failure, and ends the call. Later calls of it do nothing. */
  stop(failure: Failure): void;
}

/** The queued and running calls of an engine, wherever they run. */
export interface OpenCalls {
  add(call: OpenCallHandle): void;
  remove(call: OpenCallHandle): void;
  /** Ends the calls that a stop covers. */
  stop(stop: Stop): void;
}

export function makeOpenCalls(): OpenCalls {
  const open = new Set<OpenCallHandle>();
  return {
    add: (call) => void open.add(call),
    remove: (call) => void open.delete(call),
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
