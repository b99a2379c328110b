import type { OnResolveArgs, OnResolveResult, Plugin } from 'esbuild';
import { isRecord } from '../../../sandbox/wire/json.js';
import { NODE_UNIT, OWN_UNIT } from '../../../sandbox/wire/units.js';
import { BulkheadError, systemCode } from '../../errors.js';
import { isInPackages } from './resolve/candidates.js';
import { builtinFile, readBuiltinFile, sharedBuiltin, sharedNames } from './builtins.js';
import { parentOf, type PluginFiles } from './files.js';
import type { BundleSpec } from './spec.js';
import { PLUGIN_NAMESPACE, isBuildFailure } from './problems.js';
import type { Resolution } from './resolve/resolution.js';
import type { Resolver } from './resolve/resolver.js';
import { isEsModule } from './source/module-syntax.js';
import { brokenModule, type ListingProgram, nameOwnImports } from './source/own-imports.js';
import { loaderOf, type Prepare } from './source/prepare.js';
import { nameStarExports } from './source/star-exports.js';
import {
  ENTRY_IMPORT,
  INJECTED_MODULES,
  OFFERED_FILE,
  OFFERED_FILES,
  injectedModule,
  generatedModule,
  type GeneratedModule,
} from './virtual-modules.js';

export interface PluginSources {
  readonly files: PluginFiles;
  readonly resolver: Resolver;
  /** A file's real path in the plugin, or the text of a module in its directory. */
  readonly entry: { readonly file: string } | { readonly source: string };
  readonly prepare: Prepare;
  /** The program, if the plugin is one and may import files of its own that it finds as it runs. */
  readonly program?: ListingProgram | undefined;
  readonly virtualModules: ReadonlySet<string>;
  readonly builtins: NonNullable<BundleSpec['builtins']>;
  /** The unit to build. Absent: one text for all. */
  readonly unit: UnitSources | undefined;
  /** Called for a missing module that fails only if the code reaches its import. */
  readonly warn: (text: string) => void;
}

/** A part of a plugin that is built separately. Imports of other units are links, which the guest resolves. */
export interface UnitSources {
  /** `.`, or the directory of an npm package. */
  readonly path: string;
  readonly unitOf: (file: string) => string;
  /** Its files that other units import. */
  readonly offered: readonly string[];
  /** Those of them that are ES modules and are evaluated when the unit is, in this order. */
  readonly eager: readonly string[];
  /** The exports that other units use of an offered file. Absent: all. Only of eager files. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Called for each file of another unit that the code imports. */
  readonly link: (file: string, hasSideEffects: boolean) => void;
}

/**
 * Provides every module to esbuild, so that esbuild opens no file itself. Each import resolves to a
 * file of the plugin, a generated module or an error.
 */
export function pluginSources(sources: PluginSources): Plugin {
  return {
    name: 'plugin-sources',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /.*/ }, (args) => guarded(() => resolveImport(args, sources)));
      onLoad({ filter: /.*/, namespace: PLUGIN_NAMESPACE }, ({ path, with: attributes }) =>
        guarded(async () => {
          const broken = sources.program?.broken.get(path);
          if (broken !== undefined) return { contents: brokenModule(broken), loader: 'js' };
          const loader = loaderOf(path, attributes);
          if (loader === undefined) return { errors: [unknownKind(path)] };
          const prepared = await sources.prepare(path, starsNamed(path, sources), loader);
          // Another build of this file depends on them too.
          for (const file of prepared.embedded ?? []) sources.files.read(file);
          const { contents, loader: preparedLoader } = importsNamed(path, prepared, sources);
          return { contents, loader: preparedLoader };
        }),
      );
      onLoad({ filter: /.*/, namespace: 'entry' }, () =>
        guarded(async () =>
          'source' in sources.entry ? sources.prepare('', sources.entry.source, 'jsx') : undefined,
        ),
      );
      onLoad({ filter: /.*/, namespace: 'sandbox' }, ({ path }) => ({
        contents: readBuiltinFile(path),
        loader: 'js',
      }));
      onLoad({ filter: /.*/ }, ({ path, pluginData }) => {
        // A path in another namespace is a file that esbuild found on the host's disk itself.
        const data: unknown = pluginData;
        return isGenerated(data)
          ? { contents: data.contents, loader: 'js' }
          : { errors: [{ text: `"${path}" is not a file of the plugin` }] };
      });
    },
  };
}

/** Runs a callback for esbuild so that its errors keep their code, place and remedy. */
async function guarded<Result>(
  run: () => Promise<Result> | Result,
): Promise<Result | { errors: { text: string; detail: unknown }[] }> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof BulkheadError) return { errors: [{ text: error.message, detail: error }] };
    // An error of `transform`, with its place in the file.
    if (isBuildFailure(error)) {
      return {
        errors: error.errors.map(({ text, location, notes: [note] }) => ({
          text,
          location,
          detail: note?.text,
        })),
      };
    }
    const code = systemCode(error);
    return {
      errors: [
        {
          // The text of a system error contains a path of the host.
          text: code === undefined ? String(error) : `cannot be read (${code})`,
          detail:
            code === undefined
              ? 'Write this file in a simpler way.'
              : 'Make the file readable for its owner.',
        },
      ],
    };
  }
}

/** The specifier by which the shared unit imports a stand-in that it offers. */
const SHARED_FILE = new RegExp(`^${OFFERED_FILE}${NODE_UNIT}/(.+)$`);

function resolveImport(args: OnResolveArgs, sources: PluginSources): OnResolveResult {
  const { path: specifier, importer, namespace, kind } = args;
  const { unit } = sources;
  if (kind === 'require-resolve') return { path: specifier, external: true };
  if (kind === 'entry-point')
    return toModule(
      injectedModule(
        specifier,
        (file) => builtinFile(file, sources.virtualModules),
        unit !== undefined && unit.offered.length > 0,
      ),
    );
  if (unit !== undefined && specifier === OFFERED_FILES) {
    return toModule(generatedModule.offered(unit.offered, unit.eager, unit.names));
  }
  if (namespace === 'link') {
    const [, shared] = SHARED_FILE.exec(specifier) ?? [];
    if (shared !== undefined) return { path: `${shared}.js`, namespace: 'sandbox' };
    return { path: specifier.slice(OFFERED_FILE.length), namespace: PLUGIN_NAMESPACE };
  }
  if (namespace === 'bulkhead' && specifier === ENTRY_IMPORT) {
    if (unit !== undefined && unit.path !== OWN_UNIT)
      return toModule(generatedModule.nothing(specifier));
    return 'source' in sources.entry
      ? { path: 'entry', namespace: 'entry' }
      : { path: sources.entry.file, namespace: PLUGIN_NAMESPACE };
  }
  if (namespace === 'bulkhead' || namespace === 'builtin' || namespace === 'sandbox') {
    const file = specifier.replace(/^\.\//, '');
    const shared = unit === undefined || unit.path === NODE_UNIT ? undefined : sharedBuiltin(file);
    if (unit === undefined || shared === undefined) {
      return { path: file, namespace: 'sandbox', sideEffects: false };
    }
    unit.link(`${NODE_UNIT}/${shared}`, true);
    return {
      ...toModule(generatedModule.sharedBuiltin(shared, sharedNames(shared))),
      sideEffects: false,
    };
  }
  if (namespace === 'node-interop' || namespace === 'with-default') {
    return toFile(importer, sources, true);
  }
  if (sources.virtualModules.has(specifier)) return toModule(generatedModule.provided(specifier));
  refuseForeign(specifier);

  const resolution = sources.resolver.resolve({
    specifier,
    directory: namespace === 'entry' ? '' : parentOf(importer),
    from: kind === 'require-call' ? 'require' : 'import',
  });
  return toResult(resolution, args, sources);
}

function toResult(
  resolution: Resolution,
  { path: specifier, importer, namespace, kind }: OnResolveArgs,
  sources: PluginSources,
): OnResolveResult {
  const { files, resolver, builtins, virtualModules, warn } = sources;
  switch (resolution.kind) {
    case 'builtin':
      return toModule(
        builtins === 'real'
          ? generatedModule.realBuiltin(resolution.name)
          : generatedModule[isInPackages(importer) ? 'builtinInPackages' : 'builtin'](
              resolution.name,
              builtinFile(resolution.name, virtualModules),
            ),
      );
    case 'nothing':
      return toModule(generatedModule.nothing(specifier));
    case 'unresolved': {
      const text = `Cannot import "${specifier}": ${resolution.why}`;
      if (kind === 'import-statement') return { errors: [{ text, detail: resolution.remedy }] };
      // As in Node, `require` and `import()` fail only when they are reached: many are in a `try`.
      warn(`${importer}: ${text}. ${resolution.remedy}`);
      return toModule(
        generatedModule.missing(specifier, `${resolution.why}. To fix this: ${resolution.remedy}`),
      );
    }
    case 'file': {
      const { path, isPure } = resolution;
      const isStatic = kind === 'import-statement' || kind === 'dynamic-import';
      if (
        isStatic &&
        namespace === PLUGIN_NAMESPACE &&
        resolver.isNodeModule(importer) &&
        !resolver.isNodeModule(path) &&
        isTranspiledCommonJs(path, files)
      ) {
        return toModule(generatedModule.interop(path));
      }
      if (
        kind === 'import-statement' &&
        namespace === PLUGIN_NAMESPACE &&
        isInPackages(path) &&
        !resolver.isNodeModule(path) &&
        importsDefault(files.read(importer), specifier) &&
        hasNoDefault(files.read(path))
      ) {
        return toModule(generatedModule.withDefault(path));
      }
      return toFile(path, sources, !isPure);
    }
  }
}

/** A file of a program with the files that it finds as it runs. */
function importsNamed<Prepared extends { readonly contents: string }>(
  file: string,
  prepared: Prepared,
  { files, program }: PluginSources,
): Prepared {
  if (program === undefined) return prepared;
  return { ...prepared, contents: nameOwnImports(file, prepared.contents, program.file, files) };
}

/** The text of a file, whose `export * from` of other units names what they export. */
function starsNamed(file: string, { files, unit, resolver }: PluginSources): string {
  const text = files.read(file);
  if (unit === undefined) return text;
  return nameStarExports(file, text, {
    read: (other) => files.read(other),
    resolve: (specifier, importer) => {
      const directory = parentOf(importer);
      const found = resolver.resolve({ specifier, directory, from: 'import' });
      return found.kind === 'file' ? found.path : undefined;
    },
    isNamed: (other, importer) => unit.unitOf(other) !== unit.unitOf(importer),
  });
}

/** A file of the plugin, or the link to it if another unit has it. */
function toFile(
  path: string,
  { unit, files }: PluginSources,
  sideEffects: boolean,
): OnResolveResult {
  if (unit === undefined || unit.unitOf(path) === unit.path) {
    return { path, namespace: PLUGIN_NAMESPACE, sideEffects };
  }
  unit.link(path, sideEffects);
  return {
    ...toModule(generatedModule.link(path, isEsModule(path, files.read(path)))),
    sideEffects,
  };
}

/** Whether a source imports the default of that module. */
function importsDefault(text: string, specifier: string): boolean {
  const imports = text.matchAll(DEFAULT_IMPORT);
  return [...imports].some(([, , from]) => from === specifier);
}

const DEFAULT_IMPORT =
  /\bimport\s+([\w$]{1,100})\s*(?:,\s*\{[^{}]{0,2000}\}\s*)?from\s*["']([^"'\n]{1,200})["']/g;

/**
 * Whether an ES module has no default. Node loads the CommonJS file of such a package if its
 * package.json does not say "module"; all exports are then the default.
 */
function hasNoDefault(text: string): boolean {
  return (
    /^[ \t]*export\b/m.test(text) &&
    !/\bexport\s+default\b|\bas\s+default\b|\bdefault\s+as\b|\{\s*default\b/.test(text)
  );
}

/** Refuses absolute paths and file URLs, which never name a file of the plugin. */
function refuseForeign(specifier: string): void {
  if (/^(?:\/|\\|[A-Za-z]:[\\/]|file:)/.test(specifier)) {
    throw new BulkheadError(
      'OUTSIDE_PLUGIN',
      `"${specifier}" leads out of the plugin's directory. Import by a path relative to the importing file.`,
      { path: specifier },
    );
  }
}

/** Whether the interop of default exports makes a difference: see `callNodeInterop`. */
function isTranspiledCommonJs(path: string, files: PluginFiles): boolean {
  if (!/\.c?js$/.test(path)) return false;
  const text = files.read(path);
  return text.includes('__esModule') && !/^[ \t]*(?:import|export)\b(?![ \t]*[(.])/m.test(text);
}

function toModule({ namespace, path, contents }: GeneratedModule): OnResolveResult {
  const isPure =
    namespace === 'builtin' || namespace === 'nothing' || INJECTED_MODULES.includes(path);
  return { namespace, path, pluginData: { contents }, sideEffects: !isPure };
}

function isGenerated(data: unknown): data is Pick<GeneratedModule, 'contents'> {
  return isRecord(data) && typeof data['contents'] === 'string';
}

function unknownKind(path: string): { text: string; detail: string } {
  return {
    text: `"${path}" is not a kind of file that can be bundled`,
    detail: 'Use TypeScript, JavaScript or JSON, or import a text with { type: "text" }.',
  };
}
