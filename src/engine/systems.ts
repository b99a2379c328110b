import type { PowerDefinition } from '../brokers/powers/host-powers.js';
import { spindleGlue } from '../formats/spindle/engine/glue.js';
export { serversAmong } from '../formats/mcp-server/engine/sources.js';
import type { SpindleHost } from '../formats/spindle/engine/spindle-host.js';
import type { PluginTable } from './plugins/installed.js';
import type { SystemGlue } from './plugins/system-glue.js';

/** The functions that plugin systems add to the engine, by the system's name. */
export interface SystemApis {
  /** The host functions for Spindle extensions, other than tool calls. */
  readonly spindle: SpindleHost;
}

/** The glue of the plugin systems that have any. */
export type Systems = { readonly [Name in keyof SystemApis]: SystemGlue<SystemApis[Name]> };

export function openSystems(plugins: PluginTable): Systems {
  return { spindle: spindleGlue(plugins) };
}

export function apisOf(systems: Systems): SystemApis {
  return { spindle: systems.spindle.api };
}

/** The host's powers, plus the systems' powers. The host's power wins if names are equal. */
export function withSystemPowers(
  own: readonly PowerDefinition[],
  systems: Systems,
): readonly PowerDefinition[] {
  const names = new Set(own.map(({ name }) => name));
  const added = Object.values(systems).flatMap(({ powers }: SystemGlue<unknown>) => powers);
  return [...own, ...added.filter(({ name }) => !names.has(name))];
}
