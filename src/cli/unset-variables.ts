import type { Engine } from '../engine/engine-api.js';
import type { EngineOptions } from '../engine/types/options.js';
import { visible } from '../visible.js';
import type { CliCapabilities } from './capabilities.js';

/**
 * Lines about variables that the author's code reads and that are undefined: such a read raises no
 * error. Empty if the code cannot be read.
 */
export async function describeUnsetVariables(
  engine: Engine,
  directory: string,
  { env = {} }: Pick<EngineOptions, 'env'>,
  { suggestPermissions }: Pick<CliCapabilities, 'suggestPermissions'>,
): Promise<string> {
  const entries = engine
    .plugins()
    .flatMap((plugin) => (plugin.state === 'active' ? plugin.entries : []))
    .filter(({ confinement }) => confinement === 'compartment');
  if (entries.length === 0) return '';
  const suggestion = await suggestPermissions(directory).catch(() => undefined);
  const lines = new Map<string, string>();
  for (const { permission, scope, at } of suggestion?.items ?? []) {
    if (permission !== 'env' || at.startsWith('node_modules/') || lines.has(scope)) continue;
    const isGranted = entries.some(({ effective }) => effective.env.includes(scope));
    if (isGranted && env[scope] !== undefined) continue;
    const why = isGranted ? 'has no value' : 'is not granted';
    const value = `--env ${scope}=VALUE`;
    const fix = isGranted
      ? value
      : `--allow env:${scope} ${value}; a manifest that declares permissions must name it in "env"`;
    lines.set(scope, `note  ${scope} is undefined in ${visible(at)}, because it ${why} (${fix})\n`);
  }
  return [...lines.values()].join('');
}
