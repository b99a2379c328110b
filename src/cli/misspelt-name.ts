import { didYouMean } from '../did-you-mean.js';

/** Names in a file that are compared with the one that is not defined. */
const MAX_NAMES = 5_000;

/**
 * What to do about `curretn is not defined`, if the source has a name that is nearly the same. `undefined` for other
 * errors.
 */
export function misspeltNameRemedy(message: string, source: string): string | undefined {
  const [, name] = /(?:^|: )([A-Za-z_$][\w$]{2,60}) is not defined$/.exec(message) ?? [];
  if (name === undefined) return undefined;
  const names = new Set<string>();
  for (const [word] of source.matchAll(/(?<![\w$])[A-Za-z_$][\w$]{2,60}/g)) {
    if (word !== name) names.add(word);
    if (names.size === MAX_NAMES) break;
  }
  const meant = didYouMean(name, [...names]);
  return meant === undefined
    ? undefined
    : `Did you mean ${meant}? Correct the name, or declare ${name}.`;
}
