// Bundles the compiled host into `dist/lib`. Packages stay outside, and each module exists once.
//
// What an import loads, the engine and the command line are one CommonJS file each (a layer): Node loads such a
// file in some 0.6 of the time that the same code takes as modules. All other code is in modules,
// split by entry point. A module of a layer is reached from outside through the exports of the
// layer's file, by the number that it has there. Modules load that file by `require`, because an
// `import` would search its whole text for names. The program of the bundler's process is a
// CommonJS file of its own, and so is the command: Node then starts without its loader of modules.
//
// Bundlers of applications cannot follow a `require` that is made at run time. They take the
// condition `module` of package.json: the compiled modules in `dist/src`, as they are.
import { readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const { bin, exports, imports } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));

/** In order: a layer uses those before it. `file` stands in `dist/lib`. */
const LAYERS = [
  // What an import of the package loads. It loads the engine on demand.
  { specifier: '#index', entries: ['dist/src/index.js'] },
  { specifier: '#engine', entries: ['dist/src/engine/engine.js'] },
  // With the command that people wait for most. The others are modules, loaded on demand.
  {
    specifier: '#command-line',
    entries: ['dist/src/cli/run-process.js', 'dist/src/cli/call.js'],
  },
].map((layer) => ({ ...layer, file: imports[layer.specifier].replace('./', '') }));

/** Without state, and copied into what uses them: `bulkhead --version` reads one file. */
const COPIED = new Set(['dist/src/supported-runtime.js']);

const LAYER_FILES = LAYERS.map(({ specifier }) => specifier);

const FROM_COMMONJS = {
  format: 'cjs',
  define: { 'import.meta.url': 'ownUrl' },
  banner: { js: "const ownUrl = require('node:url').pathToFileURL(__filename).href;" },
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  packages: 'external',
  legalComments: 'none',
  logLevel: 'warning',
};

await rm(`${root}dist/lib`, { recursive: true, force: true });

/** The layer of each module that is in one, with the number and the names of its exports. */
const placed = new Map();
/** What layers import on demand: entry points of their own. */
const onDemand = new Set();
for (const layer of LAYERS) await buildLayer(layer);

const published = Object.values(exports)
  .map((entry) => entry.default)
  .filter((file) => file?.startsWith('./dist/lib/'))
  .map((file) => file.replace('./dist/lib/', 'dist/src/'));
await build({
  ...shared,
  entryPoints: [...new Set([...published, ...onDemand])].map((file) => ({
    in: join(root, file),
    // As deep as before, because some read files relative to themselves.
    out: file.replace('dist/src/', '').replace(/\.js$/, ''),
  })),
  outdir: 'dist/lib',
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  format: 'esm',
  external: LAYER_FILES,
  plugins: [
    fromLayers(
      (specifier) =>
        `import { createRequire } from 'node:module'; export const layer = createRequire(import.meta.url)('${specifier}');`,
    ),
  ],
});

await build({
  ...shared,
  ...FROM_COMMONJS,
  entryPoints: ['dist/src/plugin/bundle/bundler-entry.js'],
  outfile: 'dist/lib/plugin/bundle/bundler-entry.cjs',
  external: LAYER_FILES,
});

await build({
  ...shared,
  ...FROM_COMMONJS,
  entryPoints: ['dist/src/cli/main.js'],
  outfile: bin.bulkhead,
  external: LAYER_FILES,
  plugins: [fromLayers((used) => `export const layer = require('${used}');`)],
});

async function buildLayer({ specifier, entries, file }) {
  const modules = (await modulesOf(entries)).filter(
    (module) => !placed.has(module) && !COPIED.has(module),
  );
  const outfile = join(root, file);
  await build({
    ...shared,
    ...FROM_COMMONJS,
    stdin: {
      contents: modules.map((module, i) => `export * as m${i} from './${module}';`).join('\n'),
      resolveDir: root,
    },
    outfile,
    external: LAYER_FILES,
    plugins: [
      fromLayers((used) => `export const layer = require('${used}');`),
      importsOnDemand(dirname(file).replace('dist/lib', 'dist/src')),
    ],
  });
  // Evaluated here once, which also shows that it can be.
  const layer = createRequire(import.meta.url)(outfile);
  for (const [i, module] of modules.entries()) {
    placed.set(module, { specifier, number: `m${i}`, names: Object.keys(layer[`m${i}`]) });
  }
}

/** The modules that are evaluated with these. */
async function modulesOf(entries) {
  const { metafile } = await build({
    ...shared,
    entryPoints: entries,
    format: 'esm',
    outdir: 'unused',
    external: LAYER_FILES,
    metafile: true,
    write: false,
  });
  const found = new Set();
  const visit = (module) => {
    if (found.has(module)) return;
    found.add(module);
    for (const { path, kind, external } of metafile.inputs[module].imports) {
      if (kind === 'import-statement' && !external) visit(path);
    }
  };
  for (const entry of entries) visit(entry);
  return [...found];
}

/** Takes the modules of layers from their files. The text of `load` exports such a file as `layer`. */
function fromLayers(load) {
  return {
    name: 'from layers',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^layer:/ }, ({ path }) => ({
        path: path.slice('layer:'.length),
        namespace: 'layer',
      }));
      onLoad({ filter: /.*/, namespace: 'layer' }, ({ path }) => ({
        contents: load(path),
        resolveDir: root,
      }));
      onLoad({ filter: /\.js$/ }, ({ path }) => {
        const place = placed.get(relative(root, path));
        if (place === undefined) return undefined;
        const { specifier, number, names } = place;
        if (names.length === 0) return { contents: 'export {};' };
        return {
          contents: `import { layer } from 'layer:${specifier}'; export const { ${names.join(', ')} } = layer.${number};`,
        };
      });
    },
  };
}

/** Leaves `import()` of own modules in place, as the import of a file that is built on its own. */
function importsOnDemand(directory) {
  return {
    name: 'imports on demand',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        if (kind !== 'dynamic-import') return undefined;
        const file = relative(root, join(resolveDir, path));
        onDemand.add(file);
        const from = relative(directory, file);
        return { path: from.startsWith('.') ? from : `./${from}`, external: true };
      });
    },
  };
}
