import type { ConfigField, Plugin } from '../../plugin/plugin.js';
import type { Activation } from '../format.js';
import type { JsonObject } from '../../../sandbox/wire/messages.js';
import { isRecord } from '../../../sandbox/wire/json.js';

/**
 * Whether a plugin's tools are available: it is configured and not disabled, its configuration fits
 * its fields, and every variable that it requires has a value. `variable` reads a variable of the
 * host. To require a variable grants no access to it.
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

interface ConfigResult {
  /** A copy for the plugin, including keys without a field; `null` if the plugin is not active. */
  readonly config: JsonObject | null;
  /** Why a given configuration is refused, as `key: what is wrong`. */
  readonly problems: readonly string[];
}

/**
 * Reads the operator's configuration of one plugin. Without one, or with `enabled: false`, the
 * plugin is inactive, which is not a problem.
 */
export function readConfig(fields: readonly ConfigField[], raw: unknown): ConfigResult {
  if (raw === undefined || raw === null) return { config: null, problems: [] };
  if (!isRecord(raw)) return { config: null, problems: ['config: must be an object'] };
  const enabled = own(raw, 'enabled');
  if (enabled === false) return { config: null, problems: [] };
  const problems = fields.flatMap((field) => problemOf(field, own(raw, field.key)));
  if (enabled !== undefined && enabled !== true) {
    problems.unshift('enabled: must be true or false');
  }
  if (problems.length > 0) return { config: null, problems };
  // The plugin may change its copy. The original shares its own object.
  const copy: JsonObject = JSON.parse(JSON.stringify(raw));
  return { config: copy, problems };
}

function own(raw: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(raw, key) ? raw[key] : undefined;
}

function problemOf(field: ConfigField, value: unknown): string[] {
  if (value === undefined) return field.required ? [`${field.key}: is missing`] : [];
  switch (field.type) {
    case 'text':
    case 'password':
      return typeof value === 'string' ? [] : [`${field.key}: must be a text`];
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
        ? []
        : [`${field.key}: must be a number`];
    case 'enum': {
      const values = (field.options ?? []).map((option) => option.value);
      if (typeof value === 'string' && values.includes(value)) return [];
      return [
        `${field.key}: must be one of ${values.map((text) => JSON.stringify(text)).join(', ')}`,
      ];
    }
  }
}
