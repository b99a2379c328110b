import { randomBytes } from 'node:crypto';
import {
  checkValue,
  parseBinding,
  placeholderOf,
  type Secret,
  type SecretBinding,
} from '../../brokers/network/secrets/secret.js';
import { BulkheadError } from '../../errors.js';
import { didYouMean } from '../../did-you-mean.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { EngineOptions, PluginSecrets } from '../types/options.js';

/** A secret with its reference, and the operator's binding of it. */
export interface HeldSecret extends Secret {
  readonly binding: SecretBinding;
}

type SecretPolicy = NonNullable<EngineOptions['secrets']>;
type Variables = NonNullable<EngineOptions['env']>;

/** Throws `INVALID_OPTIONS` for an invalid binding when the engine is created. */
export function checkSecrets(policy: SecretPolicy, env: Variables): void {
  if (typeof policy === 'function') return;
  for (const [plugin, secrets] of Object.entries(policy)) {
    for (const [name, binding] of Object.entries(secrets)) {
      const option = `secrets[${JSON.stringify(plugin)}].${name}`;
      parseBinding(binding, option);
      const value = env[name];
      if (value !== undefined) checkValue(value, option);
    }
  }
}

/**
 * The variables that a plugin gets by reference. Throws `INVALID_OPTIONS` for a variable that the
 * plugin does not declare: a misspelt name would pass the intended variable in plain. Throws it
 * also for an entry without a compartment, because such an entry can read the host's memory.
 */
export function secretsOf(policy: SecretPolicy, plugin: Plugin, entry: PluginEntry): PluginSecrets {
  const secrets =
    typeof policy === 'function'
      ? policy(plugin)
      : Object.hasOwn(policy, plugin.id)
        ? (policy[plugin.id] ?? {})
        : {};
  const names = Object.keys(secrets);
  if (names.length === 0) return secrets;
  const declared = plugin.entries.flatMap((one) => one.declared.env);
  // Of a system whose plugins cannot declare variables, the operator names them in the grant.
  const isOpen = plugin.entries.some(
    ({ undeclared }) =>
      undeclared === true || (undeclared !== undefined && undeclared.includes('env')),
  );
  for (const name of names) {
    const option = `secrets[${JSON.stringify(plugin.id)}].${name}`;
    // guard: secret-name-declared
    if (!isOpen && !declared.includes(name)) {
      const near = didYouMean(name, declared);
      throw invalid(
        option,
        `names a variable that ${plugin.id} does not declare.${near === undefined ? '' : ` Did you mean ${near}?`} Remove it, or add it to the env permission in ${plugin.manifest}`,
      );
    }
    if (entry.confinement === 'host') {
      throw invalid(
        option,
        `would hide a value from ${plugin.id}, which runs unconfined and can read it anyway. Remove it, or the plugin from hostMode`,
      );
    }
  }
  return secrets;
}

/**
 * Creates the references of one entry, for all of its secrets that have a value. The grant decides
 * which of them the plugin gets.
 */
export function openSecrets(
  plugin: Plugin,
  secrets: PluginSecrets,
  env: Variables,
): readonly HeldSecret[] {
  return Object.entries(secrets).flatMap(([name, binding]) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) return [];
    const option = `secrets[${JSON.stringify(plugin.id)}].${name}`;
    checkValue(value, option);
    const placeholder = placeholderOf(randomBytes(16).toString('hex'));
    return [{ name, placeholder, value, binding, ...parseBinding(binding, option) }];
  });
}

function invalid(option: string, what: string): BulkheadError<'INVALID_OPTIONS'> {
  return new BulkheadError('INVALID_OPTIONS', `The option ${option} ${what}.`, { option });
}
