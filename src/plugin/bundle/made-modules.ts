import { NAMESPACE_EXPORT } from './rewrite/exports.js';

/** A module that no file of the plugin is. */
export interface MadeModule {
  readonly namespace: string;
  readonly path: string;
  readonly contents: string;
}

/** What every bundle begins with: it hands the plugin's entry out whole, CommonJS or not. */
export const ENTRY = 'bulkhead:entry';
/** How the module above asks for the plugin's entry. */
export const ENTRY_IMPORT = 'bulkhead:start';

/** Free names that are put in where a bundle uses them: each with the built-in that has it. */
const INJECTED: Readonly<Record<string, readonly [file: string, names: readonly string[]]>> = {
  'bulkhead:buffer': ['buffer', ['Buffer']],
  'bulkhead:bun': ['bun', ['Bun']],
  'bulkhead:performance': ['perf-hooks', ['performance']],
  'bulkhead:process': ['process', ['process']],
  'bulkhead:timers': ['timers', ['setImmediate', 'clearImmediate']],
};

export const INJECTED_MODULES: readonly string[] = Object.keys(INJECTED);

export function injectedModule(name: string): MadeModule {
  const injected = INJECTED[name];
  const contents =
    injected === undefined
      ? `import * as ${NAMESPACE_EXPORT} from '${ENTRY_IMPORT}'; export { ${NAMESPACE_EXPORT} };`
      : `export { ${injected[1].join(', ')} } from './${injected[0]}.js';`;
  return { namespace: 'bulkhead', path: name, contents };
}

/**
 * All are CommonJS to esbuild, so that an import of a name that they lack is `undefined` or a
 * denial at run time rather than an error of the build.
 */
export const madeModule: Readonly<
  Record<'provided' | 'nothing' | 'realBuiltin', (specifier: string) => MadeModule> & {
    builtin: (name: string, file: string) => MadeModule;
    missing: (specifier: string, why: string) => MadeModule;
    interop: (path: string) => MadeModule;
  }
> = {
  /** A module that the guest has. */
  provided: (specifier) => ({
    namespace: 'provided',
    path: specifier,
    contents:
      `if ($bulkhead.modules[${text(specifier)}] === undefined) ` +
      `throw new Error(${text(`"${specifier}" is not provided here`)}); ` +
      `module.exports = $bulkhead.modules[${text(specifier)}];`,
  }),
  builtin: (name, file) => ({
    namespace: 'builtin',
    path: name,
    contents:
      file === 'denied'
        ? `module.exports = require('./denied.js').denyModule(${text(name)});`
        : `module.exports = require('./${file}.js').builtin;`,
  }),
  /** A module of Node's, from the guest's own `require`. */
  realBuiltin: (name) => ({
    namespace: 'builtin',
    path: name,
    contents: `module.exports = $bulkhead.require(${text(name.includes(':') ? name : `node:${name}`)});`,
  }),
  nothing: (specifier) => ({
    namespace: 'nothing',
    path: specifier,
    contents: 'module.exports = {};',
  }),
  missing: (specifier, why) => ({
    namespace: 'missing',
    path: specifier,
    contents:
      `module.exports = {}; throw Object.assign(` +
      `new Error(${text(`Cannot find module '${specifier}': ${why}`)}), { code: 'MODULE_NOT_FOUND' });`,
  }),
  /** Stands between a Node-style importer and CommonJS: see `callNodeInterop`. */
  interop: (path) => ({
    namespace: 'node-interop',
    path,
    contents: `module.exports = require('bulkhead:real');`,
  }),
};

function text(value: string): string {
  return JSON.stringify(value);
}
