import type { RunAdmitted } from './call/admitted.js';
import type { Engine } from './engine-api.js';
import type { AcceptedPlugins } from './types/settings.js';

/** An engine, and what a fleet of engines needs of it. */
export interface OpenEngine {
  readonly engine: Engine;
  /** Runs a call that another engine admitted, in a guest of this one. */
  readonly runAdmitted: RunAdmitted;
  /** The lock file; `undefined` if the engine does not have one. */
  readonly lock: AcceptedPlugins | undefined;
}
