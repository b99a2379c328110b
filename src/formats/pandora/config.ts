import type { JsonObject } from '../../../sandbox/wire/messages.js';
import type { ConfigField } from '../../plugin/plugin.js';
import { isObject } from '../../schema/shape.js';

export interface ConfigResult {
  /** A copy, with keys that no field names, for the plugin to see; `null` where it is not active. */
  readonly config: JsonObject | null;
  /** Why a configuration that is there cannot be used, as `key: what is wrong`. */
  readonly problems: readonly string[];
}

/**
 * Reads what the operator configured for one plugin. No configuration, or one with
 * `enabled: false`, is no problem: the plugin is then not active.
 */
export function readConfig(fields: readonly ConfigField[], raw: unknown): ConfigResult {
  if (raw === undefined || raw === null) return { config: null, problems: [] };
  if (!isObject(raw)) return { config: null, problems: ['config: must be an object'] };
  const enabled = own(raw, 'enabled');
  if (enabled === false) return { config: null, problems: [] };
  const problems = fields.flatMap((field) => problemOf(field, own(raw, field.key)));
  if (enabled !== undefined && enabled !== true) {
    problems.unshift('enabled: must be true or false');
  }
  if (problems.length > 0) return { config: null, problems };
  // What plugins get is theirs: the original lends its own object, and sees their edits.
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
