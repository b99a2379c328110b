import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Scenario } from '../scenario.js';

/**
 * A tool by its name in the catalog, a hook by its file's name, or whether the plugin's `init`
 * succeeded.
 */
export type VellumStep =
  | { readonly loaded: true }
  | { readonly tool: string; readonly input?: JsonObject; readonly context?: JsonObject }
  | { readonly hook: string; readonly context?: JsonObject };

export interface VellumScenario extends Scenario<VellumStep> {
  /** The operator's choice of the hooks' semantics. Default: by the plugin's range. */
  readonly semantics?: 'classic' | 'current';
  /** What `getModelProfiles` answers. Default: none. */
  readonly profiles?: readonly JsonObject[];
  /** The text that the configured provider's model answers. Without it there is no provider. */
  readonly generated?: string;
}
