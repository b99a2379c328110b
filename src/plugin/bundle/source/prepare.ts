import { posix } from 'node:path';
import { type Loader, transform } from 'esbuild';
import type { BundleSpec } from '../spec.js';
import { isInPackages } from '../resolve/candidates.js';
import { answerCallSites } from './call-sites.js';
import { PLUGIN_ROOT, provideRequired } from './created-require.js';
import { injectGlobalProcess } from './global-process.js';
import { isEsModule } from './module-syntax.js';
import { isPlain, neutralise } from './neutralise.js';
import { embedOwnFiles, type ReadOwn } from './own-files.js';
import { answerSharedMemory } from './shared-memory.js';
import { injectWeakReferences } from './weak-references.js';

interface PreparedSource {
  readonly contents: string;
  readonly loader: Loader;
  /** Other files whose contents it has. */
  readonly embedded?: readonly string[];
}

/** Prepares a file of one bundling. */
export type Prepare = (path: string, text: string, loader: Loader) => Promise<PreparedSource>;

/** The plugin of the files. */
export interface Surroundings {
  readonly builtins: NonNullable<BundleSpec['builtins']>;
  /** The real path of the file that Node would start, if the plugin is one. */
  readonly program?: string | undefined;
  /** Whether the plugin has a file. */
  readonly isFile: (path: string) => boolean;
  /** Reads a file that a package may have in its code. */
  readonly readOwn: ReadOwn;
}

/** Prepares each file once, because several builds of one bundling read it. */
export function prepareOnce(surroundings: Surroundings): Prepare {
  const prepared = new Map<string, Promise<PreparedSource>>();
  return (path, text, loader) => {
    const key = `${loader} ${path}`;
    const known = prepared.get(key);
    if (known !== undefined) return known;
    const made = prepareSource(path, text, loader, surroundings);
    prepared.set(key, made);
    return made;
  };
}

/** Characters of JSON from which `JSON.parse` is cheaper than code, in the bundler and the guest. */
const LARGE_JSON = 32 * 1024;

/**
 * Prepares a file of the plugin for esbuild. The text does not make esbuild read the disk, and has
 * its virtual path. Lines stay the same, or the text has a source map.
 */
export async function prepareSource(
  path: string,
  text: string,
  loader: Loader,
  { builtins, program, isFile, readOwn }: Surroundings,
): Promise<PreparedSource> {
  const source = text.replace(/^\uFEFF/, '');
  if (loader === 'json' && source.length > LARGE_JSON && isJson(source)) {
    return { contents: `module.exports = JSON.parse(${JSON.stringify(source)});`, loader: 'js' };
  }
  if (!isCode(loader)) return { contents: source, loader };
  // A hashbang is only valid at the start, where `describeModule` inserts a declaration.
  const code = source.replace(/^#!/, '//');
  const plain = isPlain(code) ? { contents: code, loader } : await makePlain(path, code, loader);
  const required = builtins === 'real' ? '' : provideRequired(path, plain.contents, isFile);
  const about = describeModule(path, plain.contents, builtins, path === program);
  const unprefixed = withoutRequire(path, plain.contents);
  const body = builtins === 'real' ? unprefixed : answerCallSites(unprefixed);
  if (builtins !== 'real' && isInPackages(path)) {
    const { code: own, embedded } = embedOwnFiles(path, body, readOwn);
    return {
      ...plain,
      contents:
        required + about + answerSharedMemory(injectWeakReferences(injectGlobalProcess(own))),
      embedded,
    };
  }
  return { ...plain, contents: required + about + body };
}

/**
 * An ES module that asks whether it is the program in the way of CommonJS too tests for `require` before it names
 * `module`. esbuild has a `require` for all files.
 */
function withoutRequire(path: string, code: string): string {
  const asks = TYPE_OF_REQUIRE.test(code) && /\brequire\.main\b/.test(code);
  if (!asks || /\brequire\s*=|[{,]\s*require\s*[,}]/.test(code) || !isEsModule(path, code)) {
    return code;
  }
  return code.replaceAll(new RegExp(TYPE_OF_REQUIRE, 'g'), 'typeof void 0');
}

const TYPE_OF_REQUIRE = /\btypeof\s+require\b(?!\s*[.(])/;

/** esbuild reports invalid JSON with its place. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function makePlain(path: string, code: string, loader: Loader): Promise<PreparedSource> {
  if (loader === 'jsx') {
    try {
      return { contents: neutralise(code), loader };
    } catch {
      // JSX, or syntax newer than acorn: esbuild transforms both to plain JavaScript.
    }
  }
  // esbuild reads a source map that a comment names only if it writes one itself.
  const sourcemap = code.includes('sourceMappingURL=') ? false : 'external';
  const { code: javaScript, map } = await transform(code, {
    loader,
    sourcemap,
    sourcefile: path,
    target: 'es2022',
    tsconfigRaw: '{}',
    legalComments: 'none',
    logLevel: 'silent',
  });
  const contents = neutralise(javaScript);
  if (sourcemap === false) return { contents, loader: 'js' };
  const encoded = Buffer.from(map).toString('base64');
  return {
    contents: `${contents}\n//# sourceMappingURL=data:application/json;base64,${encoded}\n`,
    loader: 'js',
  };
}

/** The variable that replaces `import.meta`, and has what replaces `require.main`, in each file, by esbuild's `define`. */
export const MODULE_VARIABLE = '__bulkhead_module';

/**
 * Declares `import.meta`, `require.main`, `__dirname` and `__filename` for a file that may mention them. A plugin
 * with the real built-ins gets its real path at run time, so that a bundle's text does not depend
 * on its directory.
 */
function describeModule(
  path: string,
  code: string,
  builtins: NonNullable<BundleSpec['builtins']>,
  isProgram: boolean,
): string {
  const mayAskForMain = /\brequire\b/.test(code) && /\bmain\b/.test(code);
  if (!mayAskForMain && !/\bmeta\b|__dirname|__filename/.test(code)) return '';
  const file = path.slice(path.lastIndexOf('/') + 1);
  const directory = path.slice(0, -file.length - 1);
  const root = builtins === 'real' ? REAL_ROOT : JSON.stringify(PLUGIN_ROOT);
  const within = (end: string): string =>
    end === '' ? root : `${root} + ${JSON.stringify(`/${end}`)}`;
  const url =
    builtins === 'real'
      ? `$bulkhead.require('node:url').pathToFileURL(${within(path)}).href`
      : JSON.stringify(urlOf(`${PLUGIN_ROOT}/${path}`));
  return (
    `const ${MODULE_VARIABLE} = { url: ${url}, filename: ${within(path)}, ` +
    `dirname: ${within(directory)}, main: ${isProgram}, ` +
    // `require.main` is the module of the program.
    (isProgram && mayAskForMain && !isEsModule(path, code)
      ? 'get requireMain() { return module; }, '
      : '') +
    // Bun's names.
    `path: ${within(path)}, dir: ${within(directory)}, file: ${JSON.stringify(file)} }; `
  );
}

/** The directory of the guest's `require`: the plugin's. */
const REAL_ROOT = `$bulkhead.require.resolve.paths('./')[0]`;

function urlOf(path: string): string {
  const url = new URL('file:///');
  url.pathname = path.replaceAll('%', '%25');
  return url.href;
}

const LOADERS: Readonly<Record<string, Loader>> = {
  // JSX is a syntax error in plain JavaScript, so reading .js as JSX changes no valid file.
  '.js': 'jsx',
  '.mjs': 'jsx',
  '.cjs': 'jsx',
  '.jsx': 'jsx',
  '': 'jsx',
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.json': 'json',
  '.txt': 'text',
  '.md': 'text',
};

/** The loader of a file, by its extension or the import's attributes (`with { type: 'text' }`). */
export function loaderOf(
  path: string,
  attributes: Readonly<Record<string, string>>,
): Loader | undefined {
  if (attributes['type'] === 'json') return 'json';
  if (attributes['type'] === 'text') return 'text';
  return LOADERS[posix.extname(path)];
}

function isCode(loader: Loader): loader is 'jsx' | 'ts' | 'tsx' {
  return loader === 'jsx' || loader === 'ts' || loader === 'tsx';
}
