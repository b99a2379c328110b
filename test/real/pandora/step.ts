import type { Scenario } from '../scenario.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';

/** A call of a tool by its id. */
export interface PandoraStep {
  readonly tool: string;
  readonly input: JsonObject;
}

export type PandoraScenario = Scenario<PandoraStep>;
