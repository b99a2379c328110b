import type { GuestEndCause } from '../../events.js';
import type { GuestEnd } from '../../guests/end.js';
import type { Grant } from '../../permissions/grant.js';
import type { Bundle, PluginEntry } from '../../plugin/plugin.js';
import type { CallsUnderWay } from '../call/calls-under-way.js';
import type { EntrySpec } from './entry-spec.js';
import type { Lifecycle } from './lifecycle.js';
import type { Outputs } from '../call/outputs.js';
import type { Resident, Schemas } from './resident.js';
import type { RunningHooks } from '../hooks/running-hooks.js';
import type { HeldSecret } from '../options/secrets.js';
import type { StoppedEffect } from '../call/stopped.js';

/** An entry that can be called: bundled, granted, with the powers it was granted opened. */
export interface OpenEntry {
  readonly entry: PluginEntry;
  /** As it is now. */
  readonly grant: Grant;
  readonly bundle: Bundle;
  /** The variables whose values it never sees, among those that it is granted. */
  readonly secrets: readonly HeldSecret[];
  readonly resident: Resident;
  /** Absent where it has neither `init` nor `shutdown`. */
  readonly lifecycle: Lifecycle | undefined;
  /** Its hooks that run now. */
  readonly running: RunningHooks;
  /** Whoever listens to what its calls write. */
  readonly outputs: Outputs;
  readonly calls: CallsUnderWay;
  /**
   * Changes what it holds. When this returns the host refuses what is no longer granted, and has
   * ended what was under way by it; when the promise resolves, so do its guests.
   */
  follow(next: Grant): Promise<void>;
  /**
   * The same entry with guests of its own and what it is granted now: nothing that another call did
   * is there. Whoever opens it closes it.
   */
  again(how: Pick<EntrySpec, 'take' | 'tape'>): OpenEntry;
  /** Says what inputs have to fit, in this and every later guest. */
  setSchemas(schemas: Schemas): void;
  /** Says who hears of its guests. One listener; the last counts. */
  listen(listener: EntryListener): void;
  /** Turns a stack from the guest into the plugin's own source lines. */
  readonly mapStack: (stack: string) => string;
  /** The same in a guest of its own, with what would change something stopped and listed. */
  rehearse(): { readonly room: OpenEntry; readonly stopped: readonly StoppedEffect[] };
  /** Has it done when this is closed. */
  onClose(task: () => void): void;
  /** Ends its guest and its brokers. */
  close(why?: GuestEnd): Promise<void>;
}

export interface EntryListener {
  /** A guest has loaded its code. */
  loaded(): void;
  /** A guest says that what it offers has changed. */
  offers(): void;
  /** The guest that held it has ended. */
  ended(cause: GuestEndCause): void;
}
