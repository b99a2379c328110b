import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ownFile } from '../../own-file.js';

/** The program that bundles. */
export interface BundlerProgram {
  /** Its script and the flags of its Node. */
  readonly args: readonly string[];
  /** The directories of its code, and of the packages that it uses. It reads no other file of ours. */
  readonly code: readonly string[];
}

/** Packages that stay outside the built files. */
const PACKAGES = ['acorn', 'esbuild', 'lru-cache', `@esbuild/${process.platform}-${process.arch}`];

/** Deep trees are parsed by recursion. The system's default stack is larger than this size. */
const FLAGS = ['--max-old-space-size=2048', '--max-semi-space-size=64', '--stack-size=3900'];

let program: BundlerProgram | undefined;

export function bundlerProgram(): BundlerProgram {
  program ??= findProgram(ownFile('dist/lib/plugin/bundle/bundler-entry.cjs'));
  return program;
}

function findProgram(entry: string): BundlerProgram {
  const root = rootOf(entry);
  const esbuild = packageAt('esbuild', root);
  const code = [
    join(root, 'dist'),
    join(root, 'package.json'),
    // esbuild's own package may lie beside the place that its link leads to.
    ...PACKAGES.map(
      (name) => packageAt(name, root) ?? (esbuild && packageAt(name, realpathSync(esbuild))),
    ),
  ].flatMap((path) => (path === undefined ? [] : [path, realpathSync(path)]));
  return { args: [...FLAGS, entry], code: [...new Set(code)] };
}

function rootOf(entry: string): string {
  const at = dirname(entry);
  return existsSync(join(at, 'package.json')) || at === dirname(at) ? at : rootOf(at);
}

/** Where Node finds a package from a directory. */
function packageAt(name: string, from: string): string | undefined {
  const at = join(from, 'node_modules', name);
  if (existsSync(at)) return at;
  const parent = dirname(from);
  return parent === from ? undefined : packageAt(name, parent);
}
