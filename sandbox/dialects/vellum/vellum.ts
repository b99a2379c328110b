import type { Dialect } from '../dialect.js';
import { attachHooks } from './hooks.js';
import { makePluginApi, PLUGIN_API } from './plugin-api.js';
import { openSurfaces } from './surfaces.js';
import { callTool, describeTools } from './tools.js';

/**
 * Vellum: a plugin's tools and hooks are files of their own, which share the modules that they
 * import. A file is loaded when it is first needed, and one that cannot be loaded fails alone.
 */
export const vellum: Dialect = {
  modules: () => ({ [PLUGIN_API]: makePluginApi() }),
  attach: (exports, world) => {
    const surfaces = openSurfaces(exports);
    return {
      describe: () => describeTools(surfaces.tools, world),
      hooks: attachHooks(surfaces.hooks, world),
      call: (name, input, call) => callTool(surfaces.tools, name, input, call, world.serialize),
    };
  },
};
