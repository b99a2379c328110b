import { denial, offer } from './denied.js';
import { builtin as files } from './fs.js';
import { fileURLToPath } from './file-urls.js';
import { nativeDenial } from './native.js';
import { WORKING_DIRECTORY, resolve } from './path.js';

/** The modules that `createRequire` can return, by name or path. The bundler adds those that a file names. */
const provided = new Map<string, unknown>();

interface SyncFiles {
  readFileSync(path: string, encoding: string): string;
  existsSync(path: string): boolean;
}

function isSyncFiles(value: object): value is SyncFiles {
  return 'readFileSync' in value;
}

/**
 * `createRequire` returns a function for the built-in modules that its file names, and for JSON files of
 * the plugin. All other imports are resolved when the bundle is built, so it throws for them.
 */
function createRequire(from?: unknown): (specifier: string) => unknown {
  const base = directoryOf(from);
  const require = (specifier: string): unknown => {
    const name = String(specifier).replace(/^node:/, '');
    if (provided.has(name)) return provided.get(name);
    const path = resolve(base, name);
    if (/^\.{0,2}\//.test(name) && provided.has(path)) return provided.get(path);
    const file = locate(base, name);
    if (file !== undefined && file.endsWith('.json') && isSyncFiles(files)) {
      return JSON.parse(files.readFileSync(file, 'utf8'));
    }
    if (name.endsWith('.node')) throw nativeDenial(name.slice(0, 150));
    throw denial(
      'BUILTIN_DENIED',
      `require("${specifier}") by way of module.createRequire cannot be followed when a plugin is bundled. Use import or require("${specifier}") itself.`,
    );
  };
  const find = (specifier: string): string => {
    const found = locate(base, String(specifier));
    if (found !== undefined) return found;
    throw Object.assign(new Error(`Cannot find module '${specifier}'`), {
      code: 'MODULE_NOT_FOUND',
    });
  };
  return Object.assign(require, { resolve: find, cache: {} });
}

function directoryOf(from: unknown): string {
  try {
    const text = String(from);
    const path = text.startsWith('file:') ? fileURLToPath(text) : resolve(text);
    return path.slice(0, Math.max(1, path.lastIndexOf('/')));
  } catch {
    return WORKING_DIRECTORY;
  }
}

/** The file that a specifier names, if it exists: a path, or a file of a package. */
function locate(base: string, specifier: string): string | undefined {
  if (!isSyncFiles(files)) return undefined;
  const isPath = /^\.{0,2}\//.test(specifier);
  const places = isPath
    ? [resolve(base, specifier)]
    : ancestors(base).map((above) => `${above}/node_modules/${specifier}`);
  for (const place of places) {
    for (const file of [place, `${place}.json`, `${place}.js`, `${place}/package.json`]) {
      if (/\.\w+$/.test(file) && files.existsSync(file)) return file;
    }
  }
  return undefined;
}

function ancestors(directory: string): readonly string[] {
  const segments = directory.split('/');
  return segments.map((_, index) => segments.slice(0, segments.length - index).join('/'));
}

const COMPILE_CACHE = { FAILED: 0, ENABLED: 1, ALREADY_ENABLED: 2, DISABLED: 3 };

export const builtin: object = offer('module', {
  createRequire,
  builtinModules: [],
  // As in a Node whose cache is disabled.
  enableCompileCache: () => ({ status: COMPILE_CACHE.DISABLED }),
  flushCompileCache: (): void => undefined,
  getCompileCacheDir: () => undefined,
  constants: { compileCacheStatus: COMPILE_CACHE },
  isBuiltin: (): boolean => false,
});

// Not enumerable, because it is no part of Node's module.
Object.defineProperty(builtin, 'bulkheadProvide', {
  value: (name: string, value: unknown): void => void provided.set(name, value),
});
