import { realpathSync } from 'node:fs';
import { build, type Metafile } from 'esbuild';
import { BulkheadError } from '../../errors.js';
import { integrityOf } from '../integrity.js';
import type { Bundle } from '../plugin.js';
import { builtinDirectory } from './builtin-files.js';
import { isBuiltinIn } from './builtins.js';
import { type PluginSources, pluginSources } from './esbuild-plugin.js';
import type { Evidence } from './evidence.js';
import type { Built } from './parse-built.js';
import { openPluginFiles, type PluginFiles } from './files.js';
import { ENTRY, INJECTED_MODULES } from './made-modules.js';
import { describeWarning, isBuildFailure, MAX_MESSAGES, toBulkheadError } from './build-failure.js';
import { bundleFailed, cutText, pluginPath, PLUGIN_NAMESPACE } from './problems.js';
import { makeResolver } from './resolve/resolver.js';
import { makeVariants } from './resolve/variants.js';
import { rewriteOrExplain } from './rewrite-or-explain.js';
import { MODULE_VARIABLE } from './source/describe-module.js';
import { BUNDLE_LIMITS, type BundleSpec } from './spec.js';
import { buildSurfaces } from './surfaces.js';
import { trimSourceMap } from './trim-source-map.js';

/**
 * Bundles in this process: files are read synchronously, and hostile sources can exhaust its memory
 * and its stack, or take the process of esbuild down for good (then it throws what esbuild says).
 * See `bundlePlugin` for a process to do it in. Throws `BUNDLE_FAILED` and `OUTSIDE_PLUGIN`.
 */
export async function buildBundle(spec: BundleSpec): Promise<Built> {
  const files = openPluginFiles(openDirectory(spec.directory), {
    ...BUNDLE_LIMITS,
    ...spec.limits,
  });
  const { entry } = spec;
  const bundle =
    'surfaces' in entry
      ? await buildSurfaces(entry.surfaces, (source) => buildOne(files, { source }, spec))
      : await buildOne(
          files,
          'file' in entry ? { file: locateEntry(files, entry.file) } : entry,
          spec,
        );
  return { bundle, evidence: files.evidence };
}

async function buildOne(
  files: PluginFiles,
  entry: PluginSources['entry'],
  { builtins = 'powerless', virtualModules = [] }: BundleSpec,
): Promise<Bundle> {
  const warnings: string[] = [];
  const result = await build({
    entryPoints: [ENTRY],
    inject: builtins === 'real' ? [] : [...INJECTED_MODULES],
    bundle: true,
    write: false,
    outfile: '/bundle.js',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    sourcemap: 'external',
    sourcesContent: true,
    metafile: true,
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    tsconfigRaw: '{}',
    // esbuild lists the directory that it works in: one of ours.
    absWorkingDir: builtinDirectory,
    define: {
      'process.env.NODE_ENV': '"production"',
      global: 'globalThis',
      'import.meta': MODULE_VARIABLE,
      __dirname: `${MODULE_VARIABLE}.dirname`,
      __filename: `${MODULE_VARIABLE}.filename`,
    },
    plugins: [
      pluginSources({
        files,
        resolver: makeResolver(files, makeVariants(files, builtins), isBuiltinIn(builtins)),
        entry,
        virtualModules: new Set(virtualModules),
        builtins,
        warn: (text) => warnings.push(cutText(text)),
      }),
    ],
  }).catch((error: unknown) => {
    throw isBuildFailure(error) ? toBulkheadError(error) : error;
  });
  refuseUnknownInputs(result.metafile);

  const output = (end: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const sourceMap = trimSourceMap(output('.js.map'));
  const { code, assignedGlobals } = rewriteOrExplain(
    output('.js'),
    sourceMap,
    builtins === 'real' ? REAL_MODULES : undefined,
  );
  return {
    code,
    hash: integrityOf(code),
    sourceMap,
    assignedGlobals,
    inputs: inputsOf(result.metafile, files.evidence),
    warnings: [...warnings, ...result.warnings.map(describeWarning)].slice(0, MAX_MESSAGES),
    broken: [],
  };
}

/** Where the guest has a real `require`, what only names its module at run time gets that. */
const REAL_MODULES =
  'const { require } = $bulkhead; ' +
  '$bulkhead = { importRefused: async (specifier) => require(specifier), ...$bulkhead };';

function openDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    throw new BulkheadError('PLUGIN_NOT_FOUND', `There is no directory ${directory}.`, {
      directory,
    });
  }
}

function locateEntry(files: PluginFiles, file: string): string {
  const located = files.locate(file);
  if (located?.kind === 'file') return located.path;
  throw bundleFailed([
    {
      message: `There is no file "${file}" in the plugin`,
      remedy: 'Correct the entry in the manifest, or add the file.',
    },
  ]);
}

/** What cannot happen, since every import is answered by us: but then nothing is to come of it. */
function refuseUnknownInputs(metafile: Metafile): void {
  const ours = /^(?:plugin|entry|sandbox|bulkhead|builtin|provided|nothing|missing|node-interop):/;
  for (const path of Object.keys(metafile.inputs)) {
    if (ours.test(path)) continue;
    throw new BulkheadError('OUTSIDE_PLUGIN', `"${path}" is not a file of the plugin.`, { path });
  }
}

function inputsOf(metafile: Metafile, evidence: Evidence): Bundle['inputs'] {
  return Object.keys(metafile.inputs)
    .filter((path) => path.startsWith(`${PLUGIN_NAMESPACE}:`))
    .map((path) => pluginPath(path).replace(/ with \{.*$/, ''))
    .map((path) => ({ path, bytes: evidence.files[path]?.bytes ?? 0 }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
