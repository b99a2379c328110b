import { GLOBAL_PROCESS } from './source/global-process.js';
import { WEAK_REFERENCES } from './source/weak-references.js';
import { NODE_UNIT } from '../../../sandbox/wire/units.js';
import { NAMESPACE_EXPORT } from './rewrite/rewrite.js';
import { LINKED_MODULE } from './rewrite/interop.js';
import { IN_PACKAGES } from './rewrite/sections.js';

/** A module that is not a file of the plugin. */
export interface GeneratedModule {
  readonly namespace: string;
  readonly path: string;
  readonly contents: string;
}

/** The first module of every bundle. It exports the plugin's entry as a namespace. */
export const ENTRY = 'bulkhead:entry';
/** The specifier by which `ENTRY` imports the plugin's entry. */
export const ENTRY_IMPORT = 'bulkhead:start';

/** Global names that are injected if a bundle uses them, each with its built-in. */
const INJECTED: Readonly<Record<string, readonly [file: string, names: readonly string[]]>> = {
  'bulkhead:buffer': ['buffer', ['Buffer']],
  'bulkhead:bun': ['bun', ['Bun']],
  'bulkhead:performance': ['perf-hooks', ['performance']],
  'bulkhead:process': ['process', ['process', `process as ${GLOBAL_PROCESS}`]],
  'bulkhead:timers': ['timers', ['setImmediate', 'clearImmediate']],
  'bulkhead:weak-references': ['weak-references', WEAK_REFERENCES],
};

/** The specifier of the module that offers the files of a unit to other units. */
export const OFFERED_FILES = 'bulkhead:offered';
/** Prefix of the specifiers by which that module imports them. */
export const OFFERED_FILE = 'bulkhead:file:';

export const INJECTED_MODULES: readonly string[] = Object.keys(INJECTED);

/** The modules with the injected names that a text may use. */
export function injectedIn(code: string): readonly string[] {
  return INJECTED_MODULES.filter((module) => USES[module]?.test(code));
}

const USES: Readonly<Record<string, RegExp>> = Object.fromEntries(
  Object.entries(INJECTED).map(([module, [, names]]) => {
    const plain = names.map((name) => (name.includes(' as ') ? GLOBAL_PROCESS : name));
    return [module, new RegExp(`\\b(?:${plain.join('|').replaceAll('$', '\\$')})\\b`)];
  }),
);

/** `fileOf`: the file of a built-in by its module's name. `offers`: whether the bundle offers files to other units. */
export function injectedModule(
  name: string,
  fileOf: (name: string) => string,
  offers: boolean,
): GeneratedModule {
  const injected = INJECTED[name];
  const contents =
    injected === undefined
      ? `${offers ? `import '${OFFERED_FILES}'; ` : ''}import * as ${NAMESPACE_EXPORT} from '${ENTRY_IMPORT}'; export { ${NAMESPACE_EXPORT} };`
      : `export { ${injected[1].join(', ')} } from './${injected[0] === 'process' ? fileOf('process') : injected[0]}.js';`;
  return { namespace: 'bulkhead', path: name, contents };
}

/** The built-ins that read a clock, each with the injected name in place of that reading. */
const CLOCKS: Readonly<Record<string, string>> = {
  perf_hooks:
    'Object.create(real, { performance: { enumerable: true, value: Object.create(real.performance, { now: { value: () => performance.now() } }) } })',
  // Its members are its own, because compiled modules copy those of what they import.
  process:
    'Object.create(Object.getPrototypeOf(real), { ...Object.getOwnPropertyDescriptors(real), hrtime: { enumerable: true, value: process.hrtime } })',
};

/**
 * All are CommonJS for esbuild. An import of a missing name is then `undefined` or a denial at run
 * time, not a build error.
 */
export const generatedModule: Readonly<
  Record<'provided' | 'nothing' | 'realBuiltin', (specifier: string) => GeneratedModule> & {
    builtin: (name: string, file: string) => GeneratedModule;
    builtinInPackages: (name: string, file: string) => GeneratedModule;
    missing: (specifier: string, why: string) => GeneratedModule;
    interop: (path: string) => GeneratedModule;
    link: (file: string, isModule: boolean) => GeneratedModule;
    sharedBuiltin: (name: string, names: readonly string[]) => GeneratedModule;
    offered: (
      files: readonly string[],
      eager: readonly string[],
      names: ReadonlyMap<string, readonly string[]>,
    ) => GeneratedModule;
    withDefault: (path: string) => GeneratedModule;
  }
> = {
  /** A module that the guest provides. */
  provided: (specifier) => ({
    namespace: 'provided',
    path: specifier,
    contents:
      `if ($bulkhead.modules[${text(specifier)}] === undefined) ` +
      `throw new Error(${text(`The host does not provide the module "${specifier}"`)}); ` +
      `module.exports = $bulkhead.modules[${text(specifier)}];`,
  }),
  /** A file of another unit. */
  link: (file, isModule) => ({
    namespace: 'link',
    // Not the file's own name: esbuild reads a module with the extension .mjs as an ES module.
    path: `${file}${isModule ? LINKED_MODULE : ' linked'}`,
    contents: `module.exports = $bulkhead.link(${text(file)});`,
  }),
  /**
   * A stand-in that the units share, with all names that other stand-ins import of it. An ES module, because each
   * module begins with those that are injected, so that this one may be in a cycle: its function is there before.
   */
  sharedBuiltin: (name, names) => {
    const isOrder = (one: string): boolean => one.startsWith('init_');
    const isNamespace = (one: string): boolean => one.endsWith('_exports');
    const values = names.filter((one) => !isOrder(one) && !isNamespace(one));
    return {
      namespace: 'link',
      path: `${NODE_UNIT}/${name}`,
      contents: [
        `export const { ${values.join(', ')} } = $bulkhead.link(${text(`${NODE_UNIT}/${name}`)});`,
        ...names
          .filter(isNamespace)
          .map(
            (one) =>
              `export const ${one} = { ${values.map((value) => `get ${value}() { return ${value}; }`).join(', ')} };`,
          ),
        ...names.filter(isOrder).map((one) => `export function ${one}() {}`),
      ].join(' '),
    };
  },
  /**
   * Offers files to other units. Normally before any module of the unit runs, because units import each other in
   * cycles. Those of `eager` are ES modules that are evaluated before. Then esbuild need not wrap each module in a
   * function, which V8 would parse twice, and leaves out what none of `names` needs.
   */
  offered: (files, eager, names) => ({
    namespace: 'link',
    path: OFFERED_FILES,
    contents: [
      ...eager.map((file, index) => `import * as all${index} from ${text(OFFERED_FILE + file)};`),
      ...(eager.length === 0 ? [] : [MARK]),
      offer(files, (file) => {
        const index = eager.indexOf(file);
        if (index < 0) return `() => require(${text(OFFERED_FILE + file)})`;
        const some = names
          .get(file)
          ?.map((name) => `get ${text(name)}() { return all${index}[${text(name)}]; }`);
        return `() => mark(${some === undefined ? `all${index}` : `{ ${some.join(', ')} }`})`;
      }),
    ].join(' '),
  }),
  builtin: (name, file) => ({
    namespace: 'builtin',
    path: name,
    contents:
      file === 'denied'
        ? `module.exports = require('./denied.js').denyModule(${text(name)});`
        : `module.exports = require('./${file}.js').builtin;`,
  }),
  /** The same for code of dependencies, whose clock may be fixed. The rewriting replaces its names. */
  builtinInPackages: (name, file) => ({
    ...generatedModule.builtin(name, file),
    ...(Object.hasOwn(CLOCKS, name)
      ? {
          path: `${name}${IN_PACKAGES}`,
          contents: `const real = require('./${file}.js').builtin; module.exports = ${CLOCKS[name]};`,
        }
      : {}),
  }),
  /** A module of Node, from the guest's own `require`. */
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
  /** Wraps a CommonJS module for a Node-style importer: see `callNodeInterop`. */
  interop: (path) => ({
    namespace: 'node-interop',
    path,
    contents: `module.exports = require('bulkhead:real');`,
  }),
  /** Adds a default to an ES module: all of its exports. */
  withDefault: (path) => ({
    namespace: 'with-default',
    path,
    contents: `export * from 'bulkhead:real'; import * as all from 'bulkhead:real'; export default all;`,
  }),
};

/** A module that exports all names of another one may have the mark already. */
const MARK = `const mark = (all) => Object.hasOwn(all, '__esModule') ? all : Object.defineProperty(all, '__esModule', { value: true });`;

function offer(files: readonly string[], load: (file: string) => string): string {
  const loads = files.map((file) => `[${text(file)}]: ${load(file)}`);
  return `$bulkhead.offer({ __proto__: null, ${loads.join(', ')} });`;
}

function text(value: string): string {
  return JSON.stringify(value);
}
