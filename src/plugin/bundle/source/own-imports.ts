import { posix } from 'node:path';
import { packageNameOf, packageOf } from '../../package-path.js';
import { dependenciesIn } from '../manifest-dependencies.js';
import type { PluginFiles } from '../files.js';
import { PLUGIN_ROOT } from './created-require.js';

/** What replaces an import whose target is computed. */
const REFUSED = '$bulkhead.importRefused';

/** A program that may import files of its own that it finds as it runs. */
export interface ListingProgram {
  readonly file: string;
  /** Files that cannot be bundled, with the reason. They throw it when they are imported. */
  readonly broken: ReadonlyMap<string, string>;
}

/** The text of a file that cannot be bundled. A CommonJS file has each name that another imports. */
export function brokenModule(message: string): string {
  return `module.exports = {}; throw new Error(${JSON.stringify(message)});`;
}

const OWN_IMPORT = '__bulkhead_own_import';

/** Files that one file may import so. */
const MAX_FILES = 1_000;
const MAX_DEPTH = 6;

const CODE = /^(?!.*\.(?:d|test|spec)\.[cm]?[jt]s$)[^.].*\.[cm]?[jt]s$/;
/** Directories whose files are no part of a program. */
const OTHERS = /^(?:\.|node_modules$|__\w+__$|tests?$|fixtures$)/;

/**
 * Lets a program import files that it finds as it runs: one that lists a directory and imports what is in it, such as
 * all its tools. The code files beside and below it become part of the bundle, each evaluated when it is imported.
 * A framework that the program's package names does so for the program: it gets those beside and below the program.
 * No other file gets any, and none gets those of a third package. Lines stay the same.
 */
export function nameOwnImports(
  file: string,
  code: string,
  program: string,
  files: Pick<PluginFiles, 'list' | 'locate' | 'read'>,
): string {
  if (!code.includes(REFUSED) || !/\breaddir/.test(code)) return code;
  const isOwn = packageOf(file) === packageOf(program);
  // guard: own-imports-of-the-program
  if (!isOwn && !isFramework(file, code, program, files)) return code;
  const directory = posix.dirname(file);
  const root = posix.dirname(isOwn ? file : program);
  const found: string[] = [];
  collect(root === '.' ? '' : root, found, files, 0);
  const entries = found
    .filter((one) => one !== file)
    .map((one) => {
      const relative = JSON.stringify(`./${posix.relative(directory, one)}`);
      return `${JSON.stringify(`${PLUGIN_ROOT}/${one}`)}: () => import(${relative})`;
    });
  if (entries.length === 0) return code;
  const base = new URL('file:///');
  base.pathname = `${PLUGIN_ROOT}/${file}`.replaceAll('%', '%25');
  const prelude =
    `const ${OWN_IMPORT} = ((files) => (specifier) => { let path = ''; ` +
    `try { path = decodeURIComponent(new URL(String(specifier), ${JSON.stringify(base.href)}).pathname); } catch {} ` +
    `return files[path] === undefined ? ${REFUSED}(specifier) : files[path](); })({ __proto__: null, ${entries.join(', ')} }); `;
  return prelude + code.replaceAll(REFUSED, OWN_IMPORT);
}

/** Whether a file is of a package that the program's package.json names, and looks for the program. */
function isFramework(
  file: string,
  code: string,
  program: string,
  files: Pick<PluginFiles, 'locate' | 'read'>,
): boolean {
  const name = packageNameOf(file);
  if (name === undefined || !/\bprocess\s*\.\s*argv\b/.test(code)) return false;
  const owner = packageOf(program);
  const manifest = files.locate(owner === undefined ? 'package.json' : `${owner}/package.json`);
  return manifest?.kind === 'file' && dependenciesIn(files.read(manifest.path)).has(name);
}

function collect(
  directory: string,
  found: string[],
  files: Pick<PluginFiles, 'list' | 'locate'>,
  depth: number,
): void {
  if (depth > MAX_DEPTH) return;
  for (const name of files.list(directory)) {
    if (found.length >= MAX_FILES) return;
    const path = directory === '' ? name : `${directory}/${name}`;
    if (CODE.test(name)) {
      const located = files.locate(path);
      // A link leads elsewhere.
      if (located?.kind === 'file' && located.path === path) found.push(path);
    } else if (!OTHERS.test(name) && !name.includes('.')) {
      const located = files.locate(path);
      if (located?.kind === 'directory' && located.path === path) {
        collect(path, found, files, depth + 1);
      }
    }
  }
}
