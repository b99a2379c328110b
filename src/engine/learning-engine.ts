import type { FoundPlugin } from '../formats/format.js';
import type { Engine } from './engine-api.js';
import { openEngine } from './engine.js';
import type { EngineOptions } from './types/options.js';

/**
 * Creates an engine that learns which permissions a plugin uses: the host's policy decides about each
 * permission, whatever the manifest declares. For a plugin in development, whose author is the host.
 */
export async function createLearningEngine(options: EngineOptions): Promise<Engine> {
  const { engine } = await openEngine(options, undefined, { prepare: withoutDeclaration });
  return engine;
}

function withoutDeclaration(found: FoundPlugin): FoundPlugin {
  const entries = found.plugin.entries.map((entry) => ({ ...entry, undeclared: true as const }));
  return { ...found, plugin: { ...found.plugin, entries } };
}
