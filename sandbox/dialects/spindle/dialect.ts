import type { GuestGrant } from '../../wire/methods.js';
import type { Attached, Dialect, DialectWorld } from '../dialect.js';
import { makeCrypto } from './crypto.js';
import { hear } from './hear.js';
import { invokeTool } from './invocation.js';
import { makeRuntime, type Runtime } from './runtime.js';

/**
 * Spindle (Lumiverse): a module that finds a global `spindle` and registers with it what it offers.
 * Its exports mean nothing. What it offers is what it had registered when its modules were evaluated;
 * later changes are told to the host, which asks again.
 */
export const spindle: Dialect = {
  globals: (world) => {
    const runtime = makeRuntime(world);
    runtimes.set(world, runtime);
    return {
      spindle: runtime.spindle,
      crypto: makeCrypto(world),
    };
  },
  attach: (_exports, world) => {
    const runtime = runtimes.get(world) ?? makeRuntime(world);
    // It may have changed while the modules were evaluated.
    runtime.permissions.replace(world.grant.powers ?? []);
    runtime.announceChanges();
    const attached: Attached = {
      describe: () => Promise.resolve(runtime.describe()),
      call: (tool, input, call) =>
        invokeTool(runtime.events.handlers('TOOL_INVOCATION'), tool, input, call),
      event: (name, payload, event) => hear(runtime, name, payload, event),
      regrant: (grant: GuestGrant) => runtime.permissions.replace(grant.powers ?? []),
    };
    return attached;
  },
};

const runtimes = new WeakMap<DialectWorld, Runtime>();
