import { parentOf, type Located, type PluginFiles } from '../files.js';
import { findExact, findFile, isInPackages, join } from './candidates.js';
import { lookUpExport } from './exports-map.js';
import { runsBetterAsNode } from './variants.js';
import { isPackagesFolder, makePackages, type PackageInfo } from './package.js';

export interface ResolveQuery {
  readonly specifier: string;
  /** The directory that it is relative to, in the plugin. */
  readonly directory: string;
  /** How it is asked for: `exports` may answer differently. */
  readonly from: 'import' | 'require';
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
export function makeResolver(files: PluginFiles, isBuiltin: (name: string) => boolean): Resolver {
  const packages = makePackages(files);

  const fileIn = (info: PackageInfo | undefined, located: Located | undefined): Resolution => {
    if (located === undefined) return NOT_FOUND;
    const owner = info ?? packages.around(parentOf(located.path));
    const replacement =
      owner === undefined || isForNode(owner) ? undefined : replacementOf(owner, located.path);
    if (replacement === false) return { kind: 'nothing' };
    const final =
      owner === undefined || replacement === undefined
        ? located
        : (findFile(files, packages, join(owner.directory, replacement)) ?? located);
    return {
      kind: 'file',
      path: final.path,
      // Only in other people's packages: nobody tests that their own plugin's claim is true.
      isPure: owner?.isPure === true && isInPackages(final.path),
    };
  };

  // Decided for a package as a whole: its files for browsers expect each other.
  const forNode = new Map<PackageInfo, boolean>();
  const isForNode = (info: PackageInfo): boolean => {
    let answer = forNode.get(info);
    if (answer === undefined) {
      answer = [...info.replacements].some(([from, to]) => {
        if (!from.startsWith('.') || to === false || !to.startsWith('.')) return false;
        const original = findFile(files, packages, join(info.directory, from));
        const replacement = findFile(files, packages, join(info.directory, to));
        return (
          original !== undefined &&
          replacement !== undefined &&
          runsBetterAsNode(files.read(replacement.path), files.read(original.path))
        );
      });
      forNode.set(info, answer);
    }
    return answer;
  };

  const inPackage = (info: PackageInfo, subpath: string, query: ResolveQuery): Resolution => {
    if (info.exports === undefined || info.exports === null) {
      const path = subpath === '.' ? `${info.directory}/` : join(info.directory, subpath);
      return fileIn(undefined, findFile(files, packages, path));
    }
    const [forBrowsers, forNodes] = conditionsFor(query).map((conditions) => {
      const target = lookUpExport(info.exports, subpath, conditions);
      return target === undefined || !isOwnTarget(target)
        ? undefined
        : findExact(files, join(info.directory, target));
    });
    if (forBrowsers !== undefined && forNodes !== undefined && forBrowsers.path !== forNodes.path) {
      const better = runsBetterAsNode(files.read(forBrowsers.path), files.read(forNodes.path));
      return fileIn(info, better ? forNodes : forBrowsers);
    }
    const only = forBrowsers ?? forNodes;
    if (only !== undefined) return fileIn(info, only);
    return {
      kind: 'unresolved',
      why: `"${info.name ?? info.directory}" does not export "${subpath}", or not from inside itself`,
      remedy: `Import what the "exports" of its package.json offer.`,
    };
  };

  const bare = (specifier: string, query: ResolveQuery): Resolution => {
    const { name, subpath } = splitSpecifier(specifier);
    const around = packages.around(query.directory);
    if (around?.name === name && around.exports !== undefined) {
      return inPackage(around, subpath, query);
    }
    for (let at = query.directory; ; at = parentOf(at)) {
      if (!isPackagesFolder(at)) {
        const directory = files.locate(join(at, `node_modules/${name}`));
        if (directory?.kind === 'directory') {
          const info = packages.in(directory.path);
          if (info !== undefined) return inPackage(info, subpath, query);
          const found = findFile(files, packages, join(directory.path, `${subpath}/`));
          if (found !== undefined) return fileIn(undefined, found);
        } else if (directory === undefined && subpath === '.') {
          // `node_modules/x.js`, without a directory.
          const file = findFile(files, packages, join(at, `node_modules/${name}`));
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
    for (const conditions of conditionsFor(query)) {
      const target = lookUpExport(info?.imports ?? {}, query.specifier, conditions);
      if (target === undefined || info === undefined) continue;
      if (target.startsWith('./')) {
        const located = isOwnTarget(target) && findExact(files, join(info.directory, target));
        if (located) return fileIn(info, located);
      } else if (!target.startsWith('#')) {
        return resolve({ ...query, specifier: target, directory: info.directory });
      }
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
      return fileIn(undefined, findFile(files, packages, path));
    }
    const scheme = /^(?:node|bun):(.+)$/.exec(specifier);
    if (scheme !== null) return { kind: 'builtin', name: specifier.replace(/^node:/, '') };
    if (specifier.startsWith('#')) return internal(query);
    const around = packages.around(directory);
    const replacement =
      around === undefined || isForNode(around) ? undefined : around.replacements.get(specifier);
    if (replacement === false) return { kind: 'nothing' };
    if (around !== undefined && replacement !== undefined && replacement !== specifier) {
      return resolve({ ...query, specifier: replacement, directory: around.directory });
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

/** What a package may ask about its surroundings: first as for browsers, then as for Node. */
function conditionsFor({ from }: ResolveQuery): ReadonlySet<string>[] {
  const kind = from === 'import' ? ['import', 'module'] : ['require'];
  return [new Set(['worker', 'browser', ...kind]), new Set(['node', ...kind])];
}

/** The file that a package uses in place of one of its own. */
function replacementOf(info: PackageInfo, path: string): string | false | undefined {
  if (info.replacements.size === 0) return undefined;
  const inside = info.directory === '' ? path : path.slice(info.directory.length + 1);
  const names = [`./${inside}`, inside];
  for (const name of [
    ...names,
    ...names.map((full) => full.replace(/(?:\/index)?\.[^./]+$/, '')),
  ]) {
    const replacement = info.replacements.get(name);
    if (replacement !== undefined) return replacement;
  }
  return undefined;
}

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
