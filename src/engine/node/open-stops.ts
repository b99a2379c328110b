import { withdrawStored } from '../../approval/store-access.js';
import { openApprovalStore } from '../../approval/store.js';
import { BulkheadError } from '../../errors.js';
import { isCovered, type Stop, type Stops } from '../../stops/stop.js';
import { openApprovalFiles } from './approval-files.js';
import { processDefaults } from './process-defaults.js';
import { openStopFiles } from './stop-files.js';

/**
 * Opens the stops of the engines that use a storage directory, without an engine. Those engines apply a
 * change within 250 ms. `stop` throws the errors of the write. Default: the storage directory of an engine
 * without that option.
 */
export function openStops(storageDirectory: string = processDefaults().storageDirectory): Stops {
  const files = openStopFiles(storageDirectory);
  const approvals = openApprovalStore(openApprovalFiles(storageDirectory), Date.now);
  return {
    list: () =>
      files
        .names()
        .map((name) => files.read(name))
        .toSorted((a, b) => a.atMs - b.atMs),
    stop: async (target, { by, reason }) => {
      requireStopName(by);
      const stop: Stop = {
        target,
        by,
        ...(reason === undefined ? {} : { reason }),
        atMs: Date.now(),
      };
      files.write(stop);
      withdrawStored(approvals, ({ plugin, tenant }) => isCovered(stop, plugin, tenant));
    },
    resume: async (target, { by }) => {
      requireStopName(by);
      return files.remove(target);
    },
  };
}

/** Throws `INVALID_OPTIONS`. */
export function requireStopName(by: unknown): void {
  // guard: stop-needs-name
  if (typeof by === 'string' && by.trim() !== '') return;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    'A stop needs `by`: the name of the person or program that stops or resumes.',
    { option: 'by' },
  );
}
