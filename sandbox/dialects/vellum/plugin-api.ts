import type { PluginApiHandles } from './api-handles.js';
import { pureApi } from './api-pure.js';

/** The module that Vellum's plugins import their constants and the host's handles from. */
export const PLUGIN_API = '@vellumai/plugin-api';

/**
 * What `import … from '@vellumai/plugin-api'` gives: constants, what can be computed from its
 * arguments alone, and the handles of the host's. Every name exists; a handle for which the host
 * supplies nothing throws when it is used, and says what the host would have to supply.
 */
export function makePluginApi(handles: PluginApiHandles): object {
  return { ...pureApi, ...handles };
}
