// Makes the files that guest processes run, each one file, out of the compiled sandbox.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const entries = {
  'dist/sandbox/node/process-entry.js': 'dist/sandbox/guest.cjs',
  'dist/sandbox/node/unconfined-entry.js': 'dist/sandbox/unconfined-guest.cjs',
};

for (const [entry, outfile] of Object.entries(entries)) {
  await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
  });
}
