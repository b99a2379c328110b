import { dirname, isAbsolute } from 'node:path';
import type { HostPowers } from '../../brokers/powers/host-powers.js';
import { didYouMean } from '../../did-you-mean.js';
import { parseScope } from '../../permissions/filesystem.js';
import { powerWords } from '../../permissions/power-words.js';
import { exists, listDirectories } from '../node/paths.js';
import type { EngineOptions } from '../types/options.js';
import type { InstalledPlugin } from './installed.js';

export interface GrantFacts {
  readonly grant: EngineOptions['grant'];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly hostPowers: Pick<HostPowers, 'permissions'>;
}

/**
 * What grants give that is not there, in sentences for the operator: directories, and the variables and
 * powers that the option `grant` names.
 */
export function explainGrants(
  facts: GrantFacts,
  installed: readonly InstalledPlugin[],
): readonly string[] {
  return [...installed.flatMap(missingMounts), ...missingNames(facts, installed)];
}

/** A directory that does not exist reads as an empty one, which is hard to tell from a wrong path. */
function missingMounts({ plugin, entries }: InstalledPlugin): readonly string[] {
  const paths = entries.flatMap(({ effective }) => effective.fs.map((one) => parseScope(one).path));
  return [...new Set(paths)]
    .filter((path) => isAbsolute(path) && !exists(path))
    .map((path) => {
      const meant = didYouMean(path, listDirectories(dirname(path)));
      const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
      return `The grant of ${plugin.id} names ${JSON.stringify(path)}, which does not exist.${hint}`;
    });
}

function missingNames(
  { grant, env, hostPowers }: GrantFacts,
  installed: readonly InstalledPlugin[],
): readonly string[] {
  if (typeof grant !== 'object') return [];
  return installed.flatMap(({ plugin }) => {
    const given = Object.hasOwn(grant, plugin.id) ? grant[plugin.id] : undefined;
    if (typeof given !== 'object') return [];
    const declared = plugin.entries.flatMap(({ declared: { powers } }) => powers);
    const known = [...hostPowers.permissions, ...declared, ...powerWords.keys()];
    const tell = (what: string, name: string, names: readonly string[]): string => {
      const meant = didYouMean(name, names);
      const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
      return `The grant of ${plugin.id} names the ${what} ${JSON.stringify(name)}, which this host does not have.${hint}`;
    };
    return [
      ...(given.env ?? [])
        .filter((name) => env[name] === undefined)
        .map((name) => tell('variable', name, Object.keys(env))),
      ...(given.powers ?? [])
        .filter((name) => !known.includes(name))
        .map((name) => tell('power', name, known)),
    ];
  });
}
