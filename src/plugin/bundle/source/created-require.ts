import { posix } from 'node:path';
import { packageOf } from '../../package-path.js';
import { isReplaced } from '../builtins.js';

/** A call with one text, such as `require("path")` under any name, or `createRequire(import.meta.url)("path")`. */
const CALL = /[\w$)]\(\s*(["'])(?:node:)?([a-z][a-z0-9_]*(?:\/[a-z]+)?)\1\s*\)/g;

/** Modules that one file can name. There are fewer. */
const MAX_MODULES = 100;

/** The virtual directory of the plugin's files: a confined plugin does not see its real path. */
export const PLUGIN_ROOT = '/plugin';

/**
 * Declarations for a module that calls `createRequire`, on one line: they provide the built-in modules that
 * its calls name, and the package.json of its own package, which most of them read for the version. Bundlers write such
 * calls for what they leave out, under a name of their own. `path`: of the file. `isFile`: whether the plugin has a file.
 */
export function provideRequired(
  path: string,
  code: string,
  isFile: (path: string) => boolean,
): string {
  if (!code.includes('createRequire') || !/\bimport\b/.test(code)) return '';
  const names = new Set([...code.matchAll(CALL)].map(([, , name = '']) => name).filter(isReplaced));
  const modules = [...names]
    .slice(0, MAX_MODULES)
    .map((name) => ({ from: `node:${name}`, as: name }));
  const provided = [...modules, ...ownPackage(path, code, isFile)];
  if (provided.length === 0) return '';
  const imports = provided.map(({ from }, at) => `import ${variable(at)} from "${from}"; `);
  const calls = provided.map(
    ({ as }, at) => `${MODULE}.bulkheadProvide(${JSON.stringify(as)}, ${variable(at)}); `,
  );
  return `import ${MODULE} from "node:module"; ${imports.join('')}${calls.join('')}`;
}

/** The package.json of the npm package of a file that names it. */
function ownPackage(
  path: string,
  code: string,
  isFile: (path: string) => boolean,
): readonly { from: string; as: string }[] {
  const directory = packageOf(path);
  if (directory === undefined || !code.includes('package.json')) return [];
  const file = `${directory}/package.json`;
  if (!isFile(file)) return [];
  const from = posix.relative(posix.dirname(path), file);
  return [{ from: from.startsWith('.') ? from : `./${from}`, as: `${PLUGIN_ROOT}/${file}` }];
}

const MODULE = '__bulkhead_node_module';

function variable(index: number): string {
  return `__bulkhead_required_${index}`;
}
