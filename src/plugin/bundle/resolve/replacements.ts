import { findFile, join, type Surroundings } from './candidates.js';
import type { PackageInfo } from './package.js';

/** What a package puts in place of its own files, and of other packages, outside of Node. */
export interface Replacements {
  /** For one of its files: another's path in the package, `false` for nothing, or `undefined`. */
  ofFile(info: PackageInfo, path: string): string | false | undefined;
  /** For a specifier that its files import. */
  ofImport(info: PackageInfo | undefined, specifier: string): string | false | undefined;
}

export function makeReplacements(around: Surroundings): Replacements {
  const { variants } = around;
  // Decided for a package as a whole: its files for browsers expect each other.
  const applies = new Map<PackageInfo, boolean>();
  const isApplied = (info: PackageInfo): boolean => {
    let answer = applies.get(info);
    if (answer === undefined) {
      answer =
        !variants.isForNode &&
        [...info.replacements].every(([from, to]) => {
          if (!from.startsWith('.') || to === false || !to.startsWith('.')) return true;
          const original = findFile(around, join(info.directory, from));
          const replacement = findFile(around, join(info.directory, to));
          return variants.choose(replacement, original) === replacement;
        });
      applies.set(info, answer);
    }
    return answer;
  };

  return {
    ofFile: (info, path) => {
      if (info.replacements.size === 0 || !isApplied(info)) return undefined;
      const inside = info.directory === '' ? path : path.slice(info.directory.length + 1);
      const names = [`./${inside}`, inside];
      const short = names.map((name) => name.replace(/(?:\/index)?\.[^./]+$/, ''));
      for (const name of [...names, ...short]) {
        const replacement = info.replacements.get(name);
        if (replacement !== undefined) return replacement;
      }
      return undefined;
    },
    ofImport: (info, specifier) => {
      const replacement = info?.replacements.get(specifier);
      return info !== undefined && replacement !== undefined && isApplied(info)
        ? replacement
        : undefined;
    },
  };
}
