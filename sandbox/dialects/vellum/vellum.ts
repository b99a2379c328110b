import type { Dialect, DialectWorld } from '../dialect.js';
import { type Facts, gatherFacts, makeHandles } from './api-handles.js';
import { attachHooks } from './hooks.js';
import { makePluginApi, PLUGIN_API } from './plugin-api.js';
import { openSurfaces } from './surfaces.js';
import { callTool, describeTools } from './tools.js';

/** What the host told of itself, for each plugin. */
const facts = new WeakMap<DialectWorld, Facts>();

/**
 * Vellum: a plugin's tools and hooks are files of their own, which share the modules that they
 * import. A file is loaded when it is first needed, and one that cannot be loaded fails alone.
 */
export const vellum: Dialect = {
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
