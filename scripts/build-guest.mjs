// Makes the one file that a guest process runs, out of the compiled sandbox.
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;

await build({
  absWorkingDir: root,
  entryPoints: ['dist/sandbox/node/process-entry.js'],
  outfile: 'dist/sandbox/guest.cjs',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  legalComments: 'none',
  logLevel: 'warning',
});
