import type { GuestGrant } from '../../wire/methods.js';
import type { Attached, Dialect, DialectWorld } from '../dialect.js';
import { receiveEvent } from './receive-event.js';
import { invokeTool } from './invocation.js';
import { makeRuntime, type Runtime } from './runtime.js';

/**
 * Spindle (Lumiverse): a module that registers its contributions with a global `spindle`. Its
 * exports are ignored. After later changes the guest notifies the host, which reads the
 * registrations again.
 */
export const spindle: Dialect = {
  hasCryptoRandom: true,
  globals: (world) => {
    const runtime = makeRuntime(world);
    runtimes.set(world, runtime);
    return { spindle: runtime.spindle };
  },
  attach: (_exports, world) => {
    const runtime = runtimes.get(world) ?? makeRuntime(world);
    // The grant may have changed while the modules were evaluated.
    runtime.permissions.replace(world.grant.powers ?? []);
    runtime.announceChanges();
    const attached: Attached = {
      describe: () => Promise.resolve(runtime.describe()),
      call: (tool, input, call) =>
        invokeTool(runtime.events.handlers('TOOL_INVOCATION'), tool, input, call, world.log),
      event: (name, payload, event) => receiveEvent(runtime, name, payload, event),
      regrant: (grant: GuestGrant) => runtime.permissions.replace(grant.powers ?? []),
    };
    return attached;
  },
};

const runtimes = new WeakMap<DialectWorld, Runtime>();
