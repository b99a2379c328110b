import { isBulkheadError } from '../../errors.js';
import type { Plugin } from '../../plugin/plugin.js';
import { checkSchema } from '../../schema/check.js';
import { quoteText } from '../pandora/text.js';
import type { VellumPackage } from './package.js';

/** The permission by which a plugin is handed credentials, and asks for them. */
export const CREDENTIALS = 'credentials';

export interface Needs {
  readonly plugin: Pick<Plugin, 'configSchema' | 'credentials'>;
  readonly problems: readonly string[];
}

/**
 * Reads what a plugin needs of its operator: `config`, a JSON Schema, and `requiresCredential`, keys
 * that stand for secrets. What cannot be read is a problem, and asks for nothing.
 */
export function readNeeds({ config, requiresCredential }: VellumPackage): Needs {
  const problems: string[] = [];
  const configSchema = config === undefined ? undefined : readSchema(config, problems);
  const credentials = readKeys(requiresCredential, problems);
  return {
    plugin: {
      ...(configSchema === undefined ? {} : { configSchema }),
      ...(credentials.length === 0 ? {} : { credentials }),
    },
    problems,
  };
}

function readSchema(config: unknown, problems: string[]): Plugin['configSchema'] {
  try {
    return checkSchema(config, 'config');
  } catch (error) {
    if (!isBulkheadError(error)) throw error;
    problems.push(`config: is no schema that can be used: ${error.message}`);
    return undefined;
  }
}

const KEY = /^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$/;
const MAX_KEYS = 32;

function readKeys(written: unknown, problems: string[]): readonly string[] {
  if (written === undefined) return [];
  const list: readonly unknown[] = Array.isArray(written) ? written : [written];
  const keys = list.slice(0, MAX_KEYS).flatMap((key) => {
    if (typeof key === 'string' && KEY.test(key)) return [key];
    const shown = typeof key === 'string' ? quoteText(key) : 'what is no text';
    problems.push(`requiresCredential: ${shown} is no key; write one like "api_key"`);
    return [];
  });
  return [...new Set(keys)];
}
