import { whyWithheld } from '../approval/policy.js';
import { didYouMean } from '../did-you-mean.js';
import type { Engine } from '../engine/engine-api.js';
import type { PluginAgent } from '../engine/types/status.js';
import { BulkheadError } from '../errors.js';
import type { TurnInput } from './options.js';

/** The agent of that id. Throws `INVALID_OPTIONS`. */
export function findAgent(engine: Pick<Engine, 'plugins'>, id: unknown): PluginAgent {
  const active = engine.plugins().filter(({ state }) => state === 'active');
  const agents = active.flatMap(({ agents: provided = [] }) => provided);
  const found = agents.find((agent) => agent.id === id);
  if (found !== undefined) return found;
  const ids = agents.map((agent) => agent.id);
  const close = typeof id === 'string' ? didYouMean(id, ids) : undefined;
  const remedy =
    close === undefined ? `The agents are ${ids.join(', ') || 'none'}.` : `Did you mean ${close}?`;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `No active plugin provides the agent ${JSON.stringify(id)}. ${remedy}`,
    { option: 'agent' },
  );
}

/** The host's system prompt comes first: what follows is a plugin's text. */
export function joinedSystem(
  system: string | undefined,
  agent: PluginAgent | undefined,
): string | undefined {
  if (agent === undefined) return system;
  return system === undefined ? agent.instructions : `${system}\n\n${agent.instructions}`;
}

/** A turn that offers only the tools of the agent, as far as the turn's own policy allows them. */
export function withAgent(
  engine: Pick<Engine, 'catalog'>,
  { useTools, instructions }: PluginAgent,
  input: TurnInput,
): TurnInput {
  const { policy = {}, system } = input;
  const allowedTools = useTools.filter((id) => {
    const tool = engine.catalog.find(id);
    return tool !== undefined && whyWithheld(policy, tool) === undefined;
  });
  return {
    ...input,
    // guard: agent-tools-limited
    policy: { ...policy, allowedTools },
    ...(system === undefined ? {} : { system: `${system}\n\n${instructions}` }),
  };
}
