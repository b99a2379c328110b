import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Scenario } from '../scenario.js';

/** A tool by its name in the catalog, or a hook by its file's name. */
export type VellumStep =
  | { readonly tool: string; readonly input?: JsonObject; readonly context?: JsonObject }
  | { readonly hook: string; readonly context?: JsonObject };

export type VellumScenario = Scenario<VellumStep>;
