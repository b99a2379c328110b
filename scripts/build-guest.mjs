// Makes the files that guest processes run, each one file, out of the compiled sandbox.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url);

const bundle = async (entry) => {
  const { outputFiles } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [entry],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'warning',
  });
  return outputFiles[0].text;
};

// Compiled as a script that has no way to load modules: whatever code is made in this process later,
// by whichever Function or eval, has no import() then. As a module's it would have, and with it
// sockets, which Node's permission model does not keep from anyone before Node 25.
const withoutImport = (code) => `'use strict';
const { Script } = require('node:vm');
const code = ${JSON.stringify(`(function (require) {${code}\n})`)};
new Script(code, { filename: 'guest.js' }).runInThisContext()(require);
`;

await writeFile(
  new URL('dist/sandbox/guest.cjs', root),
  withoutImport(await bundle('dist/sandbox/node/process-entry.js')),
);
await writeFile(
  new URL('dist/sandbox/unconfined-guest.cjs', root),
  await bundle('dist/sandbox/node/unconfined-entry.js'),
);
