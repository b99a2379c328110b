import { parsePath, withoutGrant } from '../../brokers/filesystem/checked-path.js';
import { makeRefusals } from '../../brokers/filesystem/refusals.js';
import { FILESYSTEM_LIMITS } from '../../brokers/limits.js';
import { isBulkheadError } from '../../errors.js';
import type { EventBus } from '../../events.js';
import type { Plugin } from '../../plugin/plugin.js';
import { identityOf } from './identity.js';

/**
 * Makes the answer to a read of a plugin without the fs permission. A file of its own directory that
 * does not exist is missing; each other one is denied, and the denial is an event.
 */
export function makeFileExplainer(
  plugin: Plugin,
  events: EventBus,
): (params: unknown) => Promise<never> {
  const refusals = makeRefusals(identityOf(plugin), [], FILESYSTEM_LIMITS);
  return async (params) => {
    const path = parsePath(params, FILESYSTEM_LIMITS, refusals);
    const error = await withoutGrant(path, plugin.directory, refusals);
    if (isBulkheadError(error, 'FILESYSTEM_DENIED')) {
      events.emit({
        type: 'capability-denied',
        plugin: plugin.id,
        permission: 'fs',
        wanted: JSON.stringify(path.slice(0, 200)),
      });
    }
    throw error;
  };
}
