// Makes, out of the compiled sandbox, the files that guest processes run (each one file), and the
// stand-ins for Node's modules that go into plugins' bundles (with the packages behind them inside).
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url);

const bundle = async (entry, define = {}, more = {}) => {
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
    define,
    ...more,
  });
  return outputFiles[0].text;
};

// Compiled as a script that has no way to load modules: whatever code is made in this process later,
// by whichever Function or eval, has no import() then. As a module's it would have, and with it
// sockets, which Node's permission model does not keep from anyone before Node 25.
//
// `cached`: V8's own form of this code is at descriptor 4, and is taken if V8 takes it. `cache`: makes
// that, of the code as it is once a guest is ready, and writes it to the file that is named.
const withoutImport = (code, name = 'guest.js') => `'use strict';
const { Script } = require('node:vm');
const { closeSync, fstatSync, readSync, renameSync, writeFileSync } = require('node:fs');
const { argv, pid, reallyExit } = process;
const KEPT = 4;
const DIGEST_BYTES = 32;
const readKept = () => {
  try {
    // The host has compared the digest at its end.
    const kept = Buffer.alloc(fstatSync(KEPT).size - DIGEST_BYTES);
    for (let at = 0; at < kept.length; ) {
      // At a place of its own: other guests read from the same open file.
      const bytes = readSync(KEPT, kept, at, kept.length - at, at);
      if (bytes === 0) return undefined;
      at += bytes;
    }
    closeSync(KEPT);
    return kept;
  } catch {
    return undefined;
  }
};
const code = ${JSON.stringify(`(function (require) {${code}\n})`)};
const script = new Script(code, { filename: ${JSON.stringify(name)}, cachedData: argv[3] === 'cached' ? readKept() : undefined });
if (argv[2] === 'cache') {
  const exit = reallyExit.bind(process);
  const { createHash } = require('node:crypto');
  const { Buffer } = globalThis;
  setImmediate(() => {
    const kept = script.createCachedData();
    const digest = createHash('sha256').update(kept).digest();
    writeFileSync(argv[3] + '.' + pid, Buffer.concat([kept, digest]), { mode: 0o600 });
    renameSync(argv[3] + '.' + pid, argv[3]);
    exit(0);
  });
}
script.runInThisContext()(require);
`;

await writeFile(
  new URL('dist/sandbox/guest.cjs', root),
  // Each guest reads all of it at its start: without white space it is ready some 4 ms earlier.
  withoutImport(await bundle('dist/sandbox/node/process-entry.js', {}, { minifyWhitespace: true })),
);
const relay = await bundle('dist/sandbox/node/inspector-relay-entry.js');
await writeFile(
  new URL('dist/sandbox/inspected-guest.cjs', root),
  withoutImport(
    await bundle('dist/sandbox/node/inspected-entry.js', { RELAY: JSON.stringify(relay) }),
    // Debuggers skip Node's own code, and this code with it: an author steps through the plugin alone.
    'node:internal/bulkhead/guest.js',
  ),
);
await writeFile(
  new URL('dist/sandbox/unconfined-guest.cjs', root),
  await bundle('dist/sandbox/node/unconfined-entry.js'),
);

// SQLite, as its authors compile it. A guest gets it from the host when its plugin opens a database.
await copyFile(
  createRequire(import.meta.url).resolve('@sqlite.org/sqlite-wasm/sqlite3.wasm'),
  new URL('dist/sandbox/sqlite3.wasm', root),
);

const builtins = fileURLToPath(new URL('dist/sandbox/builtins/', root));
const bundledBuiltins = fileURLToPath(new URL('dist/sandbox/bundled-builtins/', root));

/** What the packages require of Node's modules: our stand-ins, so that a bundle has one of each. */
const STAND_INS = {
  buffer: 'buffer.js',
  events: 'events.js',
  'process/': 'process.js',
  'string_decoder/': 'string-decoder.js',
};

const standIns = {
  name: 'stand-ins',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(?:buffer|events|process\/|string_decoder\/)$/ }, ({ path }) => ({
      path: builtins + STAND_INS[path],
    }));
    // A polyfill for a class that every compartment has.
    onResolve({ filter: /^abort-controller$/ }, ({ path }) => ({ path, namespace: 'nothing' }));
    onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({ contents: '' }));
    onLoad({ filter: /[/\\]events[/\\]events\.js$/ }, async ({ path }) => {
      const contents = await readFile(path, 'utf8');
      const fixed = "'defaultMaxListeners', {";
      if (!contents.includes(fixed)) throw new Error(`${path} has no ${fixed}`);
      // Before packages share the class, its stand-in replaces this property.
      return { contents: contents.replace(fixed, `${fixed} configurable: true,`) };
    });
  },
};

const sources = await readdir(new URL('sandbox/builtins/', root));
await rm(bundledBuiltins, { recursive: true, force: true });
await mkdir(bundledBuiltins);
const { outputFiles } = await build({
  write: false,
  entryPoints: sources
    .filter((name) => !name.endsWith('.d.ts'))
    .map((name) => builtins + basename(name, '.ts') + '.js'),
  outdir: bundledBuiltins,
  chunkNames: 'shared-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['main'],
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  // What stands free in a package is never reached: `path.resolve` is always given a directory.
  define: { process: 'undefined' },
  plugins: [standIns],
  logLevel: 'warning',
});
for (const { path, text } of outputFiles) {
  // A module counts only if something of it is used, so imports for the order alone are dropped.
  await writeFile(path, text.replaceAll(/^import "\.\/[^"]+";\n/gm, ''));
}
