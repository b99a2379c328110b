import type { FoundPlugin } from '../formats/format.js';
import type { Engine } from './engine-api.js';
import { openEngine } from './engine.js';
import type { EngineOptions } from './types/options.js';
import type { PackageSettings } from './types/package-options.js';

/**
 * Creates an engine that learns which permissions a plugin uses: the host's policy decides about each
 * permission, whatever the manifest declares. For a plugin in development, whose author is the host. `packages`
 * replaces the option of that name, and is asked at each start of the plugin.
 */
export async function createLearningEngine(
  options: EngineOptions,
  packages?: PackageSettings,
): Promise<Engine> {
  const { engine } = await openEngine(options, undefined, {
    prepare: withoutDeclaration,
    ...(packages === undefined ? {} : { packages }),
  });
  return engine;
}

function withoutDeclaration(found: FoundPlugin): FoundPlugin {
  const entries = found.plugin.entries.map((entry) => ({ ...entry, undeclared: true as const }));
  return { ...found, plugin: { ...found.plugin, entries } };
}
