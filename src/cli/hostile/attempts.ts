import type { CatalogTool, Json } from '../../index.js';
import { isJsonObject } from '../arguments.js';

/** One thing that a hostile plugin tries when one of its tools is called so. */
export interface Attempt {
  readonly plugin: string;
  /** The tool's name in the catalog. */
  readonly tool: string;
  readonly name: string;
  readonly input: Readonly<Record<string, Json>>;
}

/** What hostile plugins are shown, and must not get. */
export interface Bait {
  readonly secretUrl: string;
  readonly secretFile: string;
  readonly secretVariable: string;
}

/** The tool of a hostile plugin that does no harm: whether the plugin is still there. */
export const HARMLESS = 'breathe';

/**
 * Everything that hostile plugins can be called to try: each value of a tool's input `attempt`, where
 * it has one, and else the tool itself. A tool gets those baits that its input names.
 */
export function attemptsOf(tools: readonly CatalogTool[], bait: Bait): Attempt[] {
  return tools
    .filter(({ tool }) => tool !== HARMLESS)
    .flatMap(({ plugin, name, tool, inputSchema }) => {
      const properties = property(inputSchema, 'properties');
      const baits = Object.fromEntries(
        Object.entries(bait).filter(([key]) => property(properties, key) !== undefined),
      );
      const values = property(property(properties, 'attempt'), 'enum');
      const names = Array.isArray(values)
        ? values.filter((value) => typeof value === 'string')
        : undefined;
      return names === undefined
        ? [{ plugin, tool: name, name: tool, input: baits }]
        : names.map((attempt) => ({
            plugin,
            tool: name,
            name: attempt,
            input: { attempt, ...baits },
          }));
    });
}

function property(value: Json | undefined, key: string): Json | undefined {
  return isJsonObject(value) ? value[key] : undefined;
}
