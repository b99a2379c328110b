import type { Plugin } from '../../plugin/plugin.js';
import type { Activation } from '../format.js';
import { readConfig } from './config.js';

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
