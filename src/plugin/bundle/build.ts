import { NODE_UNIT, OWN_UNIT, STREAMS_MODULE } from '../../../sandbox/wire/units.js';
import { realpathSync } from 'node:fs';
import { type Metafile, build } from 'esbuild';
import { BulkheadError } from '../../errors.js';
import { LISTING } from './evidence.js';
import type { Bundle } from '../plugin.js';
import { findOriginalPosition } from '../source-map.js';
import { builtinDirectory, isBuiltinIn } from './builtins.js';
import { type PluginSources, pluginSources, type UnitSources } from './esbuild-plugin.js';
import { type PluginFiles, openPluginFiles } from './files.js';
import { packagesOf } from './packages.js';
import type { Built, BuiltInPieces } from './parse-built.js';
import { type InPieces, integrityOfPieces, textOfPieces } from './pieces.js';
import {
  MAX_MESSAGES,
  PLUGIN_NAMESPACE,
  bundleFailed,
  cutText,
  describeWarning,
  fileOf,
  isBuildFailure,
  toBulkheadError,
} from './problems.js';
import { type BuiltEntry, buildWithoutBroken } from './listed-files.js';
import { makeResolver } from './resolve/resolver.js';
import { makeVariants } from './resolve/candidates.js';
import { type Rewritten, rewriteBundle } from './rewrite/rewrite.js';
import { MODULE_VARIABLE, prepareOnce } from './source/prepare.js';
import { BUNDLE_LIMITS, type BundleSpec } from './spec.js';
import { trimSourceMap } from './trimmed-map.js';
import { buildSurfaces } from './surfaces.js';
import { GLOBAL_PROCESS } from './source/global-process.js';
import { buildUnits, UnitAwaits } from './units/build-units.js';
import type { BuiltUnit } from './units/linked-unit.js';
import { makeUnitMemo } from './units/unit-memo.js';
import { ENTRY, INJECTED_MODULES, injectedIn } from './virtual-modules.js';

/**
 * Bundles in this process. It reads files synchronously, and hostile sources can exhaust memory and
 * stack or crash the process of esbuild (then esbuild's error is thrown). Use `bundlePlugin` to
 * bundle in a separate process. Throws `BUNDLE_FAILED` and `OUTSIDE_PLUGIN`.
 */
export async function buildBundle(spec: BundleSpec): Promise<Built> {
  const { bundle, evidence } = await buildInPieces(spec);
  const { code, sourceMap, ...rest } = bundle;
  return {
    bundle: { ...rest, code: textOfPieces(code), sourceMap: textOfPieces(sourceMap) },
    evidence,
  };
}

/** As `buildBundle`. What this process built before, and is used again, is the same string. */
export async function buildInPieces(spec: BundleSpec): Promise<BuiltInPieces> {
  const files = openPluginFiles(openDirectory(spec.directory), {
    ...BUNDLE_LIMITS,
    ...spec.limits,
  });
  const { entry } = spec;
  const bundle =
    'surfaces' in entry
      ? await buildSurfaces(entry.surfaces, (source) => buildEntry(files, { source }, spec))
      : await buildEntry(
          files,
          'file' in entry ? { file: locateEntry(files, entry.file) } : entry,
          spec,
        );
  return { bundle, evidence: files.evidence };
}

async function buildEntry(
  files: PluginFiles,
  entry: PluginSources['entry'],
  spec: BundleSpec,
): Promise<InPieces<Bundle>> {
  const {
    isAsync: _,
    linkUses: __,
    links: ___,
    ...built
  } = await buildSeparately(files, entry, spec);
  return {
    ...built,
    hash: integrityOfPieces(built.code),
    packages: packagesOf(built.inputs, files),
  };
}

/** Units that this process built before. It bundles one plugin. */
const memo = makeUnitMemo();

/**
 * A program that lists a directory and imports what is in it gets those files. Files that cannot be bundled may be no
 * part of the program, and import what is not there: they throw the reason when they are imported, and the others work.
 */
async function buildSeparately(
  files: PluginFiles,
  entry: PluginSources['entry'],
  spec: BundleSpec,
): Promise<BuiltEntry> {
  const file = programOf(spec, files);
  const prepare = prepareOnce({
    builtins: spec.builtins ?? 'powerless',
    program: file,
    isFile: (path) => files.locate(path)?.kind === 'file',
    readOwn: (path) => files.readOwn(path),
  });
  const job = { files, entry, spec, prepare };
  if (file === undefined) return { ...(await buildParts(job)), broken: [] };
  const withListed = (broken: ReadonlyMap<string, string>): Promise<InPieces<BuiltUnit>> =>
    buildParts({ ...job, program: { file, broken } });
  try {
    return { ...(await withListed(new Map())), broken: [] };
  } catch (error) {
    const hasListed = Object.keys(files.evidence.lookups).some((path) => path.endsWith(LISTING));
    if (!hasListed || !(error instanceof BulkheadError)) throw error;
    return buildWithoutBroken({
      file,
      why: error,
      withListed,
      alone: () => buildParts(job),
    });
  }
}

async function buildParts(job: Job): Promise<InPieces<BuiltUnit>> {
  const { files, entry, spec, program } = job;
  const { separate: separation, virtualModules, builtins, rewrite, packageBuilds } = spec;
  if (separation === undefined) return buildWhole(job);
  try {
    return await buildUnits({
      files,
      separation,
      start: onlySurface(spec, files),
      memo,
      key: JSON.stringify([
        entry,
        separation,
        virtualModules,
        builtins,
        rewrite,
        packageBuilds,
        program === undefined ? null : [program.file, [...program.broken]],
      ]),
      build: (unit, seen) => buildUnit({ ...job, files: seen }, unit),
    });
  } catch (error) {
    if (!(error instanceof UnitAwaits)) throw error;
    if (separation === 'installed') return buildWhole(job);
    const { path, message } = error;
    throw bundleFailed([
      {
        message,
        remedy: `To run it as part of the plugin's own code, with all that the plugin may do, add ${JSON.stringify(path)} to "together" of the option packages, or --package-together ${path}.`,
      },
    ]);
  }
}

async function buildWhole(job: Job): Promise<InPieces<BuiltUnit>> {
  const { code, sourceMap, ...unit } = await buildUnit(job);
  return { ...unit, code: [code], sourceMap: [sourceMap] };
}

/** All that the units of one bundle are built from. */
interface Job extends Pick<PluginSources, 'files' | 'entry' | 'prepare' | 'program'> {
  readonly spec: BundleSpec;
}

async function buildUnit(job: Job, unit?: UnitSources): Promise<BuiltUnit> {
  const { files, entry, spec, prepare, program } = job;
  const { builtins = 'powerless', virtualModules = [], rewrite = true, packageBuilds } = spec;
  const run = (inject: readonly string[]): Promise<Output> =>
    runEsbuild({
      files,
      entry,
      prepare,
      program,
      builtins,
      virtualModules,
      packageBuilds,
      unit,
      inject,
    });
  // Most packages use no injected name, and each unit would get the modules of all.
  const isPackage = unit !== undefined && unit.path !== OWN_UNIT;
  let inject = builtins === 'real' ? [] : INJECTED_MODULES;
  // Most packages that use one use it in a file that others import. A second build is for the rest.
  if (isPackage) inject = unit.path === NODE_UNIT ? [] : usedIn(unit.offered, files);
  let output = await run(inject);
  for (;;) {
    const used = isPackage ? injectedIn(output.text) : [];
    if (used.every((name) => inject.includes(name))) break;
    inject = [...new Set([...inject, ...used])];
    output = await run(inject);
  }
  const { text, sourceMap, inputs, warnings } = output;
  const prelude = builtins === 'real' ? REAL_MODULES : undefined;
  const rewritten = rewrite
    ? rewriteOrExplain(text, sourceMap, prelude)
    : { code: text, assignedGlobals: [], isAsync: false, linkUses: new Map() };
  return { ...rewritten, sourceMap, inputs, warnings };
}

/** The modules with the injected names that the texts of these files have. */
function usedIn(paths: readonly string[], files: PluginFiles): readonly string[] {
  return [...new Set(paths.flatMap((path) => injectedIn(files.read(path))))].toSorted();
}

function onlySurface({ entry }: BundleSpec, files: PluginFiles): string | undefined {
  const [only, another] = 'surfaces' in entry ? entry.surfaces : [];
  return only === undefined || another !== undefined ? undefined : files.locate(only.file)?.path;
}

/** The file that Node would start, if the plugin is a program: its only surface. */
function programOf({ entry, virtualModules }: BundleSpec, files: PluginFiles): string | undefined {
  if (!('surfaces' in entry) || virtualModules?.includes(STREAMS_MODULE) !== true) return undefined;
  const [surface] = entry.surfaces;
  return surface === undefined ? undefined : files.locate(surface.file)?.path;
}

interface Output {
  readonly text: string;
  readonly sourceMap: string;
  readonly inputs: Bundle['inputs'];
  readonly warnings: readonly string[];
}

interface EsbuildSpec
  extends
    Required<Pick<BundleSpec, 'builtins' | 'virtualModules'>>,
    Pick<PluginSources, 'files' | 'entry' | 'prepare' | 'program' | 'unit'> {
  readonly packageBuilds: BundleSpec['packageBuilds'];
  /** The modules whose exports take the place of undeclared names. */
  readonly inject: readonly string[];
}

async function runEsbuild(spec: EsbuildSpec): Promise<Output> {
  const { files, entry, prepare, program, builtins, virtualModules, packageBuilds, unit, inject } =
    spec;
  const warnings: string[] = [];
  const result = await build({
    entryPoints: [ENTRY],
    inject: [...inject],
    bundle: true,
    write: false,
    outfile: '/bundle.js',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    sourcemap: 'external',
    sourcesContent: false,
    metafile: true,
    legalComments: 'none',
    charset: 'ascii',
    logLevel: 'silent',
    tsconfigRaw: '{}',
    // esbuild lists its working directory, so it must not be the plugin's or the host's.
    absWorkingDir: builtinDirectory(),
    define: {
      'process.env.NODE_ENV': '"production"',
      global: 'globalThis',
      ...(builtins === 'real' ? {} : { 'global.process': GLOBAL_PROCESS }),
      // They are injected, and so no properties of the global object.
      ...Object.fromEntries(
        ['setImmediate', 'clearImmediate'].flatMap((name) => [
          [`globalThis.${name}`, name],
          [`global.${name}`, name],
        ]),
      ),
      'import.meta': MODULE_VARIABLE,
      'require.main': `${MODULE_VARIABLE}.requireMain`,
      __dirname: `${MODULE_VARIABLE}.dirname`,
      __filename: `${MODULE_VARIABLE}.filename`,
    },
    plugins: [
      pluginSources({
        files,
        resolver: makeResolver(
          files,
          makeVariants(files, builtins, packageBuilds, virtualModules.includes(STREAMS_MODULE)),
          isBuiltinIn(builtins),
        ),
        entry,
        prepare,
        program,
        virtualModules: new Set(virtualModules),
        builtins,
        unit,
        warn: (text) => warnings.push(cutText(text)),
      }),
    ],
  }).catch((error: unknown) => {
    throw isBuildFailure(error) ? toBulkheadError(error) : error;
  });
  assertKnownInputs(result.metafile);

  const output = (end: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return {
    text: output('.js'),
    sourceMap: trimSourceMap(output('.js.map'), files),
    inputs: inputsOf(result.metafile, files),
    warnings: [...warnings, ...result.warnings.map(describeWarning)].slice(0, MAX_MESSAGES),
  };
}

/** With real built-ins, imports of computed names use the guest's real `require`. */
const REAL_MODULES =
  'const { require } = $bulkhead; ' +
  '$bulkhead = { importRefused: async (specifier) => require(specifier), ...$bulkhead };';

function openDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    throw new BulkheadError('PLUGIN_NOT_FOUND', `The directory ${directory} does not exist.`, {
      directory,
    });
  }
}

function locateEntry(files: PluginFiles, file: string): string {
  const located = files.locate(file);
  if (located?.kind === 'file') return located.path;
  throw bundleFailed([
    {
      message: `The plugin has no file "${file}"`,
      remedy: 'Correct the entry in the manifest, or add the file.',
    },
  ]);
}

/** Throws if esbuild read a module that `pluginSources` did not provide. A second line of defence. */
function assertKnownInputs(metafile: Metafile): void {
  const ours =
    /^(?:plugin|entry|sandbox|bulkhead|builtin|provided|link|nothing|missing|node-interop|with-default):/;
  for (const path of Object.keys(metafile.inputs)) {
    if (ours.test(path)) continue;
    throw new BulkheadError('OUTSIDE_PLUGIN', `"${path}" is not a file of the plugin.`, { path });
  }
}

function inputsOf(metafile: Metafile, files: PluginFiles): Bundle['inputs'] {
  return Object.keys(metafile.inputs)
    .filter((path) => path.startsWith(`${PLUGIN_NAMESPACE}:`))
    .map(fileOf)
    .map((path) => {
      const { bytes = 0, hash = '' } = files.evidenceOf(path) ?? {};
      return { path, bytes, hash };
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Rewrites esbuild's output for SES. If that fails, throws `BUNDLE_FAILED` with the place in the
 * plugin's own source.
 */
export function rewriteOrExplain(
  text: string,
  sourceMap: string,
  prelude: string | undefined,
): Rewritten {
  try {
    return rewriteBundle(text, prelude);
  } catch (error) {
    const position = error instanceof Error && 'pos' in error ? Number(error.pos) : undefined;
    const message =
      error instanceof Error ? error.message.replace(/ \(\d+:\d+\)$/, '') : String(error);
    const before = text.slice(0, position ?? 0);
    const origin =
      position === undefined
        ? undefined
        : findOriginalPosition(
            sourceMap,
            before.split('\n').length,
            before.length - before.lastIndexOf('\n'),
          );
    throw bundleFailed([
      {
        message: `The code cannot be rewritten for SES: ${message}`,
        ...(origin === undefined
          ? {}
          : { file: origin.source, line: origin.line, column: origin.column }),
        remedy: 'Write this part of the code in a simpler way.',
      },
    ]);
  }
}
