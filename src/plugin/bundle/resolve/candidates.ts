import { posix } from 'node:path';
import type { Located, PluginFiles } from '../files.js';
import type { Packages } from './package.js';
import type { Variants } from './variants.js';

/** What it takes to find a file. */
export interface Surroundings {
  readonly files: PluginFiles;
  readonly packages: Packages;
  readonly variants: Variants;
}

/** Tried in order after a path without its extension: the author's source before what is made of it. */
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** In other people's packages: what was published to run, before sources that came along. */
const PACKAGE_EXTENSIONS = ['.js', '.mjs', '.cjs', '.json', '.jsx', '.ts', '.tsx', '.mts', '.cts'];

/** TypeScript names the file that a compiler would make of the one that is there. */
const COMPILED: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts'],
};

export function isInPackages(path: string): boolean {
  return path.split('/').includes('node_modules');
}

/**
 * The file that a path means: itself, the source of the file it names, the path with an extension
 * added, or what a directory's package.json or index says.
 */
export function findFile(around: Surroundings, path: string): Located | undefined {
  const { files, packages, variants } = around;
  if (!path.endsWith('/')) {
    const found = findExact(files, path) ?? findWithExtension(files, path);
    if (found !== undefined) return found;
  }
  const directory = files.locate(path);
  if (directory?.kind !== 'directory') return undefined;
  const { mains = [], browserMain } = packages.in(directory.path) ?? {};
  return variants.choose(
    browserMain === undefined ? undefined : findMain(files, directory.path, [browserMain]),
    findMain(files, directory.path, [...mains, 'index']),
  );
}

function findMain(
  files: PluginFiles,
  directory: string,
  candidates: readonly string[],
): Located | undefined {
  for (const candidate of candidates) {
    const target = join(directory, candidate);
    const found =
      findExact(files, target) ??
      findWithExtension(files, target) ??
      findWithExtension(files, `${target}/index`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file at a path itself, or the source that compiles to it. */
export function findExact(files: PluginFiles, path: string): Located | undefined {
  const exact = asFile(files.locate(path));
  if (exact !== undefined) return exact;
  const extension = posix.extname(path);
  for (const source of COMPILED[extension] ?? []) {
    const found = asFile(files.locate(path.slice(0, -extension.length) + source));
    if (found !== undefined) return found;
  }
  return undefined;
}

function findWithExtension(files: PluginFiles, path: string): Located | undefined {
  for (const extension of isInPackages(path) ? PACKAGE_EXTENSIONS : EXTENSIONS) {
    const found = asFile(files.locate(path + extension));
    if (found !== undefined) return found;
  }
  return undefined;
}

function asFile(located: Located | undefined): Located | undefined {
  return located?.kind === 'file' ? located : undefined;
}

/** Joins without making anything of `..` at the front: whoever looks there is told off. */
export function join(directory: string, path: string): string {
  return posix.join(directory, path);
}
