import { didYouMean } from '../did-you-mean.js';
import type { PermissionName } from './kind.js';
import { permissionNames } from './table.js';

/** Words that mean a kind and are not its name. */
const ALIASES: Readonly<Record<string, PermissionName>> = {
  filesystem: 'fs',
  file: 'fs',
  files: 'fs',
  environment: 'env',
  variables: 'env',
  net: 'network',
  hosts: 'network',
  fetch: 'network',
  power: 'powers',
  clock: 'time',
};

/** The kind of that name; `undefined` if there is none. */
export function kindNamed(word: string): PermissionName | undefined {
  return permissionNames.find((name) => name === word);
}

/** The correction for a word that is not a kind: `Did you mean "fs"?`, or all kinds. */
export function whichKind(word: string): string {
  const alias = Object.hasOwn(ALIASES, word) ? ALIASES[word] : undefined;
  const meant = alias ?? didYouMean(word, permissionNames);
  return meant === undefined
    ? `Use one of ${permissionNames.join(', ')}.`
    : `Did you mean "${meant}"?`;
}
