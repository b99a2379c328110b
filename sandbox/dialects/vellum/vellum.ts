import type { Dialect, DialectWorld } from '../dialect.js';
import { type Facts, gatherFacts, makeHandles, makePluginApi, PLUGIN_API } from './plugin-api.js';
import { attachHooks } from './hooks.js';
import { openSurfaces } from './surfaces.js';
import { callTool, describeTools } from './tools.js';

/** The facts from the host, for each plugin. */
const facts = new WeakMap<DialectWorld, Facts>();

/**
 * Vellum: each tool and hook is a separate file, and the files share imported modules. A file is
 * loaded on first use. If one file fails to load, the others still work.
 */
export const vellum: Dialect = {
  hasCryptoRandom: true,
  prepare: async (world) => void facts.set(world, await gatherFacts(world)),
  modules: (world) => ({
    [PLUGIN_API]: makePluginApi(makeHandles(world, facts.get(world) ?? new Map())),
  }),
  attach: (exports, world) => {
    const surfaces = openSurfaces(exports);
    return {
      describe: () => describeTools(surfaces.tools, world),
      hooks: attachHooks(surfaces.hooks, world),
      call: (name, input, call) => callTool(surfaces.tools, name, input, call, world),
    };
  },
};
