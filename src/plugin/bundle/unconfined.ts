import { build, type BuildFailure } from 'esbuild';
import { BulkheadError } from '../../errors.js';
import { integrityOf } from '../integrity.js';
import type { Bundle } from '../plugin.js';

/**
 * Bundles an entry that runs unconfined, by the operator's leave: its own files become one text, and
 * packages and built-ins are required from its directory when it runs, native ones too. Nothing is
 * made safe here, because nothing would be: the code has the whole power of its process.
 *
 * Throws `BUNDLE_FAILED`.
 */
export async function bundleUnconfined(directory: string, file: string): Promise<Bundle> {
  const result = await build({
    absWorkingDir: directory,
    entryPoints: [`./${file}`],
    outfile: 'bundle.cjs',
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    packages: 'external',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'external',
    sourcesContent: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: { 'import.meta.url': '$bulkhead.url' },
  }).catch((error: unknown) => {
    throw explain(error);
  });
  const textOf = (end: string): string =>
    result.outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  const code = `(function ($bulkhead) { 'use strict'; const { require } = $bulkhead; const module = { exports: {} }; const { exports } = module;${textOf('.cjs')}
return module.exports; })`;
  return {
    code,
    hash: integrityOf(code),
    sourceMap: textOf('.map'),
    assignedGlobals: [],
    inputs: Object.entries(result.metafile.inputs).map(([path, { bytes }]) => ({ path, bytes })),
    warnings: result.warnings.map(({ text }) => text),
  };
}

function explain(error: unknown): BulkheadError {
  const problems = isBuildFailure(error)
    ? error.errors.map(({ text, location }) => ({
        message: text,
        ...(location === null
          ? {}
          : {
              file: location.file,
              line: location.line,
              column: location.column + 1,
              lineText: location.lineText,
            }),
      }))
    : [{ message: error instanceof Error ? error.message : String(error) }];
  const [first] = problems;
  return new BulkheadError(
    'BUNDLE_FAILED',
    `The plugin cannot be bundled: ${first?.message ?? ''}`,
    {
      problems,
    },
  );
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}
