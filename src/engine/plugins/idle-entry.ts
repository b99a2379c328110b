import { WireError } from '../../../sandbox/wire/failure.js';
import { isBulkheadError } from '../../errors.js';
import type { PluginEntry } from '../../plugin/plugin.js';
import { NOTHING } from '../grants/grants.js';
import type { InstalledEntry } from './installed.js';
import type { PluginProblem } from './status.js';

/** An entry that does not run, and why. */
export function idle(entry: PluginEntry, problems: readonly PluginProblem[] = []): InstalledEntry {
  return { entry, effective: NOTHING, rooms: [], offer: undefined, tools: [], problems };
}

/** What the operator reads about an entry that does not run. */
export function asProblem(error: unknown): PluginProblem {
  if (isBulkheadError(error)) return { code: error.code, message: error.message };
  if (error instanceof WireError)
    return { code: error.code ?? 'LOAD_FAILED', message: error.message };
  throw error;
}
