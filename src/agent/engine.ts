import { createEngine as createPlainEngine } from '../engine/engine.js';
import type { Engine as PlainEngine } from '../engine/engine-api.js';
import type { EngineOptions } from '../engine/options/options.js';
import { type Agent, makeAgent } from './agent.js';
import type { AgentOptions } from './options.js';

/** Plugins that run, the tools and hooks they offer, and turns in which a model uses them. */
export interface Engine extends PlainEngine {
  /** An agent whose turns use this engine's tools and hooks. Throws `INVALID_OPTIONS`. */
  agent(options: AgentOptions): Agent;
}

/**
 * Finds the plugins, asks what they offer, and answers with the engine that runs them. A plugin that
 * cannot be used is told in `plugins()` and keeps no other from running.
 *
 * Throws `INVALID_OPTIONS`, and `WALL_MISSING` where the host requires a wall that does not stand.
 */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const engine = await createPlainEngine(options);
  return Object.assign(engine, {
    agent: (agentOptions: AgentOptions) => makeAgent(engine, agentOptions),
  });
}
