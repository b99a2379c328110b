import { posix } from 'node:path';
import { packageOf } from '../../package-path.js';
import type { PluginFiles } from '../files.js';
import { PLUGIN_ROOT } from './created-require.js';

/** What replaces an import whose target is computed. */
const REFUSED = '$bulkhead.importRefused';

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
 * Only for files of the program's own package, and only their own package's files. Lines stay the same.
 */
export function nameOwnImports(
  file: string,
  code: string,
  program: string,
  files: Pick<PluginFiles, 'list' | 'locate'>,
): string {
  if (!code.includes(REFUSED) || !/\breaddir/.test(code)) return code;
  // guard: own-imports-of-the-program
  if (packageOf(file) !== packageOf(program)) return code;
  const directory = posix.dirname(file);
  const found: string[] = [];
  collect(directory === '.' ? '' : directory, found, files, 0);
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
