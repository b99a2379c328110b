import type { PowerDefinition } from '../brokers/powers/host-powers.js';
import { spindleGlue } from '../formats/spindle/engine/glue.js';
import {
  clientPowers,
  type ClientPowersEngine,
} from '../formats/mcp-server/engine/client-powers.js';
export { openServers } from '../formats/mcp-server/engine/sources.js';
import type { SpindleHost } from '../formats/spindle/engine/spindle-host.js';
import type { PluginTable } from './plugins/installed.js';

/** The functions that plugin systems add to the engine, by the system's name. */
export interface SystemApis {
  /** The host functions for Spindle extensions, other than tool calls. */
  readonly spindle: SpindleHost;
}

/** The glue of the plugin systems that have any. */
export interface Systems {
  readonly apis: SystemApis;
  readonly powers: readonly PowerDefinition[];
}

/**
 * `engine`: called when a power is used. By then the engine is complete. `warn`: tells the operator what a
 * plugin did not get.
 */
export function openSystems(
  plugins: PluginTable,
  engine: () => ClientPowersEngine,
  warn: (plugin: string, message: string) => void,
): Systems {
  const spindle = spindleGlue(plugins, warn);
  return {
    apis: { spindle: spindle.api },
    powers: [...spindle.powers, ...clientPowers(plugins, engine)],
  };
}

/** The host's powers, plus the systems' powers. The host's power wins if names are equal. */
export function withSystemPowers(
  own: readonly PowerDefinition[],
  { powers }: Systems,
): readonly PowerDefinition[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...powers.filter(({ name }) => !names.has(name))];
}
