import { randomBytes } from 'node:crypto';
import {
  checkValue,
  parseBinding,
  type SecretBinding,
} from '../../brokers/network/secrets/binding.js';
import { placeholderOf, type Secret } from '../../brokers/network/secrets/secret.js';
import { BulkheadError } from '../../errors.js';
import { closest } from '../../permissions/closest.js';
import type { Plugin, PluginEntry } from '../../plugin/plugin.js';
import type { EngineOptions, PluginSecrets } from './options.js';

/** A secret that a plugin holds a reference to, with the operator's own words for where it goes. */
export interface HeldSecret extends Secret {
  readonly binding: SecretBinding;
}

type SecretPolicy = NonNullable<EngineOptions['secrets']>;
type Variables = NonNullable<EngineOptions['env']>;

/** Throws `INVALID_OPTIONS` for a binding that cannot be read, as soon as an engine is made. */
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
 * What a plugin is to hold by reference. Throws `INVALID_OPTIONS` where that cannot be: a name that
 * the plugin does not declare is most likely misspelt, and the variable that was meant would be
 * handed over in plain; and from a plugin without a compartment nothing of ours can be kept.
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
  const declared = plugin.entries.flatMap((one) => one.declared.environment);
  for (const name of names) {
    const option = `secrets[${JSON.stringify(plugin.id)}].${name}`;
    if (!declared.includes(name)) {
      const near = closest(name, declared);
      throw invalid(
        option,
        `names a variable that ${plugin.id} does not declare.${near === undefined ? '' : ` Is ${near} meant?`} Remove it, or add it to the env permission in ${plugin.manifest}`,
      );
    }
    if (entry.confinement === 'host') {
      throw invalid(
        option,
        `would keep a value from ${plugin.id}, which runs unconfined and can read it anyway. Remove it, or the plugin from hostMode`,
      );
    }
  }
  return secrets;
}

/**
 * Makes the references of one entry: to what the plugin's secrets name and has a value. Which of
 * them it gets is its grant's to say, now and later.
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
