import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { Plugin } from '../../plugin/plugin.js';
import { readConfig } from './config.js';

export interface Activation {
  /** What the plugin sees as its configuration; `null` where it is not active. */
  readonly config: JsonObject | null;
  /** Why it is not active, each with what would make it so. Empty where it is. */
  readonly reasons: readonly string[];
  /** Those of the reasons that are mistakes in its configuration. */
  readonly validationErrors: readonly string[];
  readonly environment: readonly VariableState[];
}

export interface VariableState {
  readonly name: string;
  readonly required: boolean;
  /** Whether it has a value. An empty one is none. */
  readonly configured: boolean;
}

/**
 * Whether a plugin's tools are offered: it is configured and not disabled, its configuration fits its
 * fields, and every variable that it requires has a value. `variable` looks one up on the host; that
 * a plugin needs a variable does not mean that it may read it.
 */
export function decideActivation(
  plugin: Plugin,
  raw: unknown,
  variable: (name: string) => string | undefined,
): Activation {
  const { config, problems } = readConfig(plugin.config, raw);
  const environment = plugin.environment.map(({ name, required }) => ({
    name,
    required,
    configured: Boolean(variable(name)),
  }));
  const missing = environment.filter(({ required, configured }) => required && !configured);
  const reasons = [
    ...(config === null && problems.length === 0 ? [notEnabled(plugin, raw)] : []),
    ...problems.map((problem) => `its configuration is not valid: ${problem}`),
    ...missing.map(({ name }) => `the environment variable ${name} has no value; set it`),
  ];
  return {
    config: reasons.length === 0 ? config : null,
    reasons,
    validationErrors: problems,
    environment,
  };
}

function notEnabled(plugin: Plugin, raw: unknown): string {
  const place = `config[${JSON.stringify(plugin.id)}]`;
  return raw === undefined || raw === null
    ? `it is not configured; set ${place} to { "enabled": true }`
    : `it is disabled; set ${place}.enabled to true`;
}
