import { parentOf, type Located, type PluginFiles } from '../files.js';
import { findExact, findFile, isInPackages, join, type Surroundings } from './candidates.js';
import { lookUpExport } from './exports-map.js';
import { isPackagesFolder, makePackages, type PackageInfo } from './package.js';
import { makeReplacements } from './replacements.js';
import type { Variants } from './variants.js';

export interface ResolveQuery {
  readonly specifier: string;
  /** The directory that it is relative to, in the plugin. */
  readonly directory: string;
  /** How it is asked for: `exports` may answer differently. */
  readonly from: 'import' | 'require';
  /** It stands for another, that its package replaced: once is enough. */
  readonly isReplaced?: boolean;
}

export type Resolution =
  | { readonly kind: 'file'; readonly path: string; readonly isPure: boolean }
  /** A package says that outside of Node there is nothing there. */
  | { readonly kind: 'nothing' }
  /** A built-in of Node or Bun, without its scheme. */
  | { readonly kind: 'builtin'; readonly name: string }
  | { readonly kind: 'unresolved'; readonly why: string; readonly remedy: string };

export interface Resolver {
  resolve(query: ResolveQuery): Resolution;
  /** Whether Node takes a file for an ES module, by its extension and its package. */
  isNodeModule(path: string): boolean;
}

/**
 * Finds what an import means as Node and TypeScript's tools do, among the plugin's own files.
 * What a package offers for workers and browsers is preferred to what it offers for Node: it
 * needs no built-ins.
 */
export function makeResolver(
  files: PluginFiles,
  variants: Variants,
  isBuiltin: (name: string) => boolean,
): Resolver {
  const packages = makePackages(files);
  const around: Surroundings = { files, packages, variants };
  const replacements = makeReplacements(around);

  const fileIn = (info: PackageInfo | undefined, located: Located | undefined): Resolution => {
    if (located === undefined) return NOT_FOUND;
    const owner = info ?? packages.around(parentOf(located.path));
    const replacement = owner === undefined ? undefined : replacements.ofFile(owner, located.path);
    if (replacement === false) return { kind: 'nothing' };
    const final =
      owner === undefined || replacement === undefined
        ? located
        : (findFile(around, join(owner.directory, replacement)) ?? located);
    return {
      kind: 'file',
      path: final.path,
      // Only in other people's packages: nobody tests that their own plugin's claim is true.
      isPure: owner?.isPure === true && isInPackages(final.path),
    };
  };

  const chooseTarget = (
    { from }: ResolveQuery,
    find: (conditions: ReadonlySet<string>) => Located | undefined,
  ): Located | undefined => {
    const kind = from === 'import' ? ['import', 'module'] : ['require'];
    return variants.choose(
      find(new Set(['worker', 'browser', ...kind])),
      find(new Set(['node', ...kind])),
    );
  };

  const inPackage = (info: PackageInfo, subpath: string, query: ResolveQuery): Resolution => {
    if (info.exports === undefined || info.exports === null) {
      const path = subpath === '.' ? `${info.directory}/` : join(info.directory, subpath);
      return fileIn(undefined, findFile(around, path));
    }
    const chosen = chooseTarget(query, (conditions) => {
      const target = lookUpExport(info.exports, subpath, conditions);
      return target !== undefined && isOwnTarget(target)
        ? findExact(files, join(info.directory, target))
        : undefined;
    });
    if (chosen !== undefined) return fileIn(info, chosen);
    return {
      kind: 'unresolved',
      why: `"${info.name ?? info.directory}" does not export "${subpath}", or not from inside itself`,
      remedy: `Import what the "exports" of its package.json offer.`,
    };
  };

  const bare = (specifier: string, query: ResolveQuery): Resolution => {
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
          const found = findFile(around, join(directory.path, `${subpath}/`));
          if (found !== undefined) return fileIn(undefined, found);
        } else if (directory === undefined && subpath === '.') {
          // `node_modules/x.js`, without a directory.
          const file = findFile(around, join(at, `node_modules/${name}`));
          if (file !== undefined) return fileIn(undefined, file);
        }
      }
      if (at === '') break;
    }
    return {
      kind: 'unresolved',
      why: `"${name}" is not in the plugin's node_modules`,
      remedy: `Run "npm install ${name}" in the plugin's directory: packages elsewhere are not read.`,
    };
  };

  const internal = (query: ResolveQuery): Resolution => {
    const info = packages.around(query.directory);
    let elsewhere: string | undefined;
    const chosen = chooseTarget(query, (conditions) => {
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
      why: `no "imports" of a package.json offers "${query.specifier}"`,
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
      return fileIn(undefined, findFile(around, path));
    }
    const scheme = /^(?:node|bun):(.+)$/.exec(specifier);
    if (scheme !== null) return { kind: 'builtin', name: specifier.replace(/^node:/, '') };
    if (specifier.startsWith('#')) return internal(query);
    const owner = packages.around(directory);
    const replacement =
      query.isReplaced === true ? undefined : replacements.ofImport(owner, specifier);
    if (replacement === false) return { kind: 'nothing' };
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

const NOT_FOUND: Resolution = {
  kind: 'unresolved',
  why: 'there is no such file in the plugin',
  remedy: 'Check the path, or add the file.',
};

/** Node's rule for a target: inside the package, and in no other package below it. */
function isOwnTarget(target: string): boolean {
  return (
    target.startsWith('./') &&
    !target
      .slice(2)
      .split(/[/\\]/)
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
