import type { PluginTable } from '../../../engine/plugins/installed.js';
import type { SystemGlue } from '../../../engine/plugins/system-glue.js';
import { extensionsOf } from './extension.js';
import { rpcPower } from './rpc-pool.js';
import { makeSpindleHost, type SpindleHost } from './spindle-host.js';

/** Spindle's additions to an engine: shared RPC between extensions, and `engine.spindle`. */
export function spindleGlue(
  plugins: PluginTable,
  warn: (plugin: string, message: string) => void,
): SystemGlue<SpindleHost> {
  const extensions = () => extensionsOf(plugins.list());
  return { powers: [rpcPower(extensions)], api: makeSpindleHost(extensions, warn) };
}
