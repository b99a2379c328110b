import type { Engine } from '../engine/engine-api.js';
import type { ModelTool } from './model.js';
import type { TurnInput } from './options.js';

/** The tools that this turn's model is told of, by the names that the catalog gives them. */
export function offeredTools(engine: Engine, { policy, unattended }: TurnInput): ModelTool[] {
  return engine
    .offered({
      ...(policy === undefined ? {} : { policy }),
      ...(unattended === undefined ? {} : { unattended }),
    })
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
}
