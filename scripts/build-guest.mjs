// Makes the files that guest processes run, each one file, out of the compiled sandbox.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const entries = {
  'dist/sandbox/node/process-entry.js': 'dist/sandbox/guest.cjs',
  'dist/sandbox/node/unconfined-entry.js': 'dist/sandbox/unconfined-guest.cjs',
};

// SES as it was published, in front: bundled, functions whose own name is `Error` or `Date` would
// get new names, and plugins see those names. Without its white space it is read in less time.
const published = await readFile(createRequire(import.meta.url).resolve('ses'), 'utf8');
const { code: ses } = await transform(published, { minifyWhitespace: true, legalComments: 'none' });

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
    banner: entry.includes('unconfined') ? {} : { js: ses },
    plugins: [
      {
        name: 'ses-stands-in-front',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /^ses$/ }, () => ({ path: 'ses', namespace: 'in-front' }));
          onLoad({ filter: /./, namespace: 'in-front' }, () => ({ contents: '' }));
        },
      },
    ],
  });
}
