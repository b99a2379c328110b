import { isRecord } from '../../../../sandbox/wire/json.js';
import { type Located, type PluginFiles, parentOf } from '../files.js';
import {
  type ResolveContext,
  type Variants,
  findExact,
  findFile,
  isInPackages,
  join,
} from './candidates.js';
import { type PackageInfo, isPackagesFolder, makePackages } from './package.js';
import { MACHINE_CODE, NOT_FOUND, type Resolution, schemed } from './resolution.js';
import { shellWord } from '../../../visible.js';
import { isModuleOfNode, isPolyfill, replacedFile } from '../builtins.js';

interface ResolveQuery {
  readonly specifier: string;
  /** The importing directory, relative to the plugin's. */
  readonly directory: string;
  /** The kind of import: `exports` may have a target for each. */
  readonly from: 'import' | 'require';
  /** Whether a package's replacement was applied: it is applied once only. */
  readonly isReplaced?: boolean;
}

export interface Resolver {
  resolve(query: ResolveQuery): Resolution;
  /** Whether a file is an ES module in Node, by its extension and its package. */
  isNodeModule(path: string): boolean;
}

/**
 * Resolves imports as Node and TypeScript's tools do, among the plugin's own files. A package's
 * targets for workers and browsers are preferred to those for Node: they need no built-ins.
 */
export function makeResolver(
  files: PluginFiles,
  variants: Variants,
  isBuiltin: (name: string) => boolean,
): Resolver {
  const packages = makePackages(files);
  const context: ResolveContext = { files, packages, variants };
  const replacements = makeReplacements(context);

  const fileIn = (info: PackageInfo | undefined, located: Located | undefined): Resolution => {
    if (located === undefined) return NOT_FOUND;
    const owner = info ?? packages.around(parentOf(located.path));
    const replacement = owner === undefined ? undefined : replacements.ofFile(owner, located.path);
    if (replacement === false) return { kind: 'nothing' };
    const final =
      owner === undefined || replacement === undefined
        ? located
        : (findFile(context, join(owner.directory, replacement)) ?? located);
    if (final.path.endsWith('.node')) return MACHINE_CODE;
    const replaced = context.variants.isForNode ? undefined : replacedFile(final.path);
    if (replaced !== undefined) return { kind: 'builtin', name: replaced };
    return {
      kind: 'file',
      path: final.path,
      // Only in packages of node_modules: authors rarely test this claim for their own plugin.
      isPure:
        owner?.isPure(relativeTo(owner.directory, final.path)) === true && isInPackages(final.path),
    };
  };

  const chooseTarget = (
    { from }: ResolveQuery,
    name: string | undefined,
    find: (conditions: ReadonlySet<string>) => Located | undefined,
  ): Located | undefined => {
    const kind = from === 'import' ? ['import', 'module'] : ['require'];
    return variants.choose(
      find(new Set(['worker', 'browser', ...kind])),
      find(new Set(['node', ...kind])),
      name,
    );
  };

  const inPackage = (info: PackageInfo, subpath: string, query: ResolveQuery): Resolution => {
    if (info.exports === undefined || info.exports === null) {
      const path = subpath === '.' ? `${info.directory}/` : join(info.directory, subpath);
      return fileIn(undefined, findFile(context, path));
    }
    const chosen = chooseTarget(query, info.name, (conditions) => {
      const target = lookUpExport(info.exports, subpath, conditions);
      return target !== undefined && isOwnTarget(target)
        ? findExact(files, join(info.directory, target))
        : undefined;
    });
    if (chosen !== undefined) return fileIn(info, chosen);
    return {
      kind: 'unresolved',
      why: `"${info.name ?? info.directory}" does not export "${subpath}" as a file of the package`,
      remedy: `Import a path that the "exports" of its package.json list.`,
    };
  };

  const bare = (specifier: string, query: ResolveQuery): Resolution => {
    const confined = variants.isForNode ? undefined : CONFINED_ENTRIES.get(specifier);
    const instead = confined === undefined ? undefined : bare(confined, query);
    if (instead?.kind === 'file') return instead;
    const { name, subpath } = splitSpecifier(specifier);
    const owner = packages.around(query.directory);
    if (owner?.name === name && owner.exports !== undefined) {
      return inPackage(owner, subpath, query);
    }
    for (let at = query.directory; ; at = parentOf(at)) {
      if (!isPackagesFolder(at)) {
        const directory = files.locate(join(at, `node_modules/${name}`));
        if (directory?.kind === 'directory') {
          const info = packages.in(directory.path);
          if (info !== undefined) return inPackage(info, subpath, query);
          const found = findFile(context, join(directory.path, `${subpath}/`));
          if (found !== undefined) return fileIn(undefined, found);
        } else if (directory === undefined && subpath === '.') {
          // A package without a directory: `node_modules/x.js`.
          const file = findFile(context, join(at, `node_modules/${name}`));
          if (file !== undefined) return fileIn(undefined, file);
        }
      }
      if (at === '') break;
    }
    return {
      kind: 'unresolved',
      why: `"${name}" is not in the plugin's node_modules`,
      remedy: files.isInstalled
        ? `Add ${shellWord(name)} to the "dependencies" of the plugin's package.json, and install the plugin again: only the packages that package.json names are read, and no links. Or accept the plugin's pack with "bulkhead add" if it has one, and use --lock.`
        : `Run "npm install ${shellWord(name)}" in the plugin's directory: packages outside it are not read.`,
    };
  };

  const internal = (query: ResolveQuery): Resolution => {
    const info = packages.around(query.directory);
    let elsewhere: string | undefined;
    const chosen = chooseTarget(query, info?.name, (conditions) => {
      const target = lookUpExport(info?.imports ?? {}, query.specifier, conditions);
      if (target === undefined || info === undefined) return undefined;
      if (isOwnTarget(target)) return findExact(files, join(info.directory, target));
      if (!/^[.#/]/.test(target)) elsewhere ??= target;
      return undefined;
    });
    if (info !== undefined && chosen !== undefined) return fileIn(info, chosen);
    if (info !== undefined && elsewhere !== undefined) {
      return resolve({ ...query, specifier: elsewhere, directory: info.directory });
    }
    return {
      kind: 'unresolved',
      why: `the "imports" of the package.json do not list "${query.specifier}"`,
      remedy: `Add "${query.specifier}" to the "imports" of the package.json.`,
    };
  };

  const resolve = (query: ResolveQuery): Resolution => {
    const { specifier, directory } = query;
    if (/^\.\.?(?:\/|$)/.test(specifier)) {
      const path = join(
        directory,
        specifier === '.' || specifier === '..' ? `${specifier}/` : specifier,
      );
      const isNative = path.endsWith('.node');
      // Many look for a file that was not built, also outside. `./a.node` may also be the file `a.node.js`.
      const found = isNative && path.startsWith('..') ? undefined : findFile(context, path);
      return isNative && found === undefined ? MACHINE_CODE : fileIn(undefined, found);
    }
    const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(specifier) ?? [];
    if (scheme === 'bun') return { kind: 'builtin', name: specifier };
    if (scheme === 'node' && isModuleOfNode(rest)) return { kind: 'builtin', name: rest };
    if (scheme !== undefined) return schemed(scheme.toLowerCase(), rest, specifier);
    if (specifier.startsWith('#')) return internal(query);
    const owner = packages.around(directory);
    const replacement =
      query.isReplaced === true ? undefined : replacements.ofImport(owner, specifier);
    if (replacement === false) {
      const isProvided = isPolyfill(specifier) && isBuiltin(specifier);
      return isProvided ? { kind: 'builtin', name: specifier } : { kind: 'nothing' };
    }
    if (owner !== undefined && replacement !== undefined) {
      const { directory: at } = owner;
      return resolve({ ...query, specifier: replacement, directory: at, isReplaced: true });
    }
    return isBuiltin(specifier) ? { kind: 'builtin', name: specifier } : bare(specifier, query);
  };

  return {
    resolve,
    isNodeModule: (path) =>
      /\.m[jt]s$/.test(path) ||
      (!/\.c[jt]s$/.test(path) && packages.around(parentOf(path))?.isModule === true),
  };
}

/** Entries of packages that do the same without changing the language's own prototypes. */
const CONFINED_ENTRIES: ReadonlyMap<string, string> = new Map([['colors', 'colors/safe']]);

/** Node's rule for a target: inside the package, and not in its node_modules. */
function isOwnTarget(target: string): boolean {
  return (
    target.startsWith('./') &&
    !target
      .slice(2)
      .split(/[/\\]/)
      // guard: package-export-inside-package
      .some((part) => part === '..' || part === '.' || part === 'node_modules')
  );
}

function splitSpecifier(specifier: string): { readonly name: string; readonly subpath: string } {
  const match = /^(@[^/]+\/[^/]+|[^/]+)(?:\/(.*))?$/.exec(specifier);
  const rest = match?.[2];
  return {
    name: match?.[1] ?? specifier,
    subpath: rest === undefined || rest === '' ? '.' : `./${rest}`,
  };
}

/** A package's replacements outside Node, for its own files and for other packages. */
/** The path of a file inside a directory, both in the plugin. */
function relativeTo(directory: string, path: string): string {
  return directory === '' ? path : path.slice(directory.length + 1);
}

interface Replacements {
  /** For one of its files: another path in the package, `false` (an empty module), or `undefined`. */
  ofFile(info: PackageInfo, path: string): string | false | undefined;
  /** For a specifier that its files import. */
  ofImport(info: PackageInfo | undefined, specifier: string): string | false | undefined;
}

function makeReplacements(context: ResolveContext): Replacements {
  const { variants } = context;
  // Decided for a whole package, because its files for browsers depend on each other.
  const applies = new Map<PackageInfo, boolean>();
  const isApplied = (info: PackageInfo): boolean => {
    let answer = applies.get(info);
    if (answer === undefined) {
      const pairs = [...info.replacements].flatMap(([from, to]): [Located, Located][] => {
        if (!from.startsWith('.') || to === false || !to.startsWith('.')) return [];
        const original = findFile(context, join(info.directory, from));
        const replacement = findFile(context, join(info.directory, to));
        return original === undefined || replacement === undefined ? [] : [[original, replacement]];
      });
      const chosen = variants.chosenFor(info.name);
      answer =
        !variants.isForNode &&
        (chosen === undefined
          ? pairs.every(
              ([original, replacement]) =>
                variants.choose(replacement, original, info.name) === replacement,
            ) && !variants.losesFiles(pairs)
          : chosen === 'browser');
      applies.set(info, answer);
    }
    return answer;
  };

  return {
    ofFile: (info, path) => {
      if (info.replacements.size === 0 || !isApplied(info)) return undefined;
      const inside = relativeTo(info.directory, path);
      const names = [`./${inside}`, inside];
      const short = names.map((name) => name.replace(/(?:\/index)?\.[^./]+$/, ''));
      for (const name of [...names, ...short]) {
        const replacement = info.replacements.get(name);
        if (replacement === false && info.replacements.get('stream') === false) continue;
        if (replacement === false && variants.keeps(findFile(context, info.directory), path)) {
          return undefined;
        }
        if (replacement !== undefined) return replacement;
      }
      return undefined;
    },
    ofImport: (info, specifier) => {
      // Unlike a browser, a compartment has streams.
      if (specifier === 'stream' && info?.replacements.get(specifier) === false) return undefined;
      const replacement = info?.replacements.get(specifier);
      return info !== undefined && replacement !== undefined && isApplied(info)
        ? replacement
        : undefined;
    },
  };
}

// Not the package `resolve.exports`: it compiles untrusted keys of a package.json to regular
// expressions without escaping them, and ranks patterns differently from Node.

/**
 * Looks up a subpath (`.`, `./a/b`) in a package's `exports`, or a `#name` in its `imports`.
 * Returns the target as written, or `undefined` if the map does not list it.
 */
function lookUpExport(
  map: unknown,
  subpath: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  const entries = toEntries(map, subpath);
  const exact = entries.get(subpath);
  if (exact !== undefined && !subpath.includes('*') && !subpath.endsWith('/')) {
    return targetOf(exact, '', conditions);
  }
  let best: { readonly key: string; readonly match: string } | undefined;
  for (const key of entries.keys()) {
    const match = matchPattern(key, subpath);
    if (match !== undefined && (best === undefined || isMoreSpecific(key, best.key))) {
      best = { key, match };
    }
  }
  return best === undefined ? undefined : targetOf(entries.get(best.key), best.match, conditions);
}

/** `exports` may be the target of `.` alone, or one set of conditions for it. */
function toEntries(map: unknown, subpath: string): Map<string, unknown> {
  if (isRecord(map)) {
    const keys = Object.keys(map);
    const isMap = keys.some((key) => key.startsWith('.') || key.startsWith('#'));
    if (isMap) return new Map(Object.entries(map));
  }
  return subpath === '.' && map !== undefined ? new Map([['.', map]]) : new Map();
}

function targetOf(
  target: unknown,
  match: string,
  conditions: ReadonlySet<string>,
): string | undefined {
  if (typeof target === 'string') {
    return target.endsWith('/') ? target + match : target.replaceAll('*', () => match);
  }
  if (Array.isArray(target)) {
    const chosen = target.map((option) => targetOf(option, match, conditions));
    // A list has fallbacks for unsupported targets: the first path is used.
    return chosen.find((option) => option?.startsWith('./')) ?? chosen.find(Boolean);
  }
  if (!isRecord(target)) return undefined;
  for (const [condition, option] of Object.entries(target)) {
    if (condition !== 'default' && !conditions.has(condition)) continue;
    const chosen = targetOf(option, match, conditions);
    if (chosen !== undefined || option === null) return chosen;
  }
  return undefined;
}

/** The text that `*` matches. A key that ends in `/` is the old form of a trailing `*`. */
function matchPattern(key: string, subpath: string): string | undefined {
  const star = key.endsWith('/') ? key.length : key.indexOf('*');
  if (star < 0) return undefined;
  const before = key.slice(0, star);
  const after = key.slice(star + 1);
  if (
    !subpath.startsWith(before) ||
    !subpath.endsWith(after) ||
    subpath.length < before.length + after.length
  ) {
    return undefined;
  }
  return subpath.slice(before.length, subpath.length - after.length);
}

function isMoreSpecific(key: string, than: string): boolean {
  const base = (pattern: string): number => {
    const star = pattern.indexOf('*');
    return star < 0 ? pattern.length : star + 1;
  };
  return base(key) > base(than) || (base(key) === base(than) && key.length > than.length);
}
