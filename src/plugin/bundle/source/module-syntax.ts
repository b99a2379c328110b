import { LRUCache } from 'lru-cache';
import { BUNDLE_LIMITS } from '../spec.js';
import { parseSource } from '../rewrite/parse.js';

/** Whether a JavaScript file is an ES module: by its extension, or because it has imports or exports. */
export function isEsModule(path: string, text: string): boolean {
  if (/\.[cm][jt]s$/.test(path)) return /\.m[jt]s$/.test(path);
  if (!/\.[jt]sx?$/.test(path) || !/\b(?:import|export)\b/.test(text)) return false;
  const known = parsed.get(path);
  if (known?.text === text) return known.isModule;
  const isModule = hasModuleStatements(text);
  parsed.set(path, { text, isModule });
  return isModule;
}

/** What was found of files, because each import of a file asks. */
const parsed = new LRUCache<string, { readonly text: string; readonly isModule: boolean }>({
  max: BUNDLE_LIMITS.maxFiles,
});

function hasModuleStatements(text: string): boolean {
  try {
    const { program } = parseSource(text.replace(/^#!/, '//'), { tokens: false });
    return program.body.some(({ type }) => MODULE_STATEMENTS.has(type));
  } catch {
    // CommonJS that is not valid in a module, or syntax that only esbuild reads.
    return /^[ \t]*export\b/m.test(text);
  }
}

const MODULE_STATEMENTS: ReadonlySet<string> = new Set([
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ExportDefaultDeclaration',
  'ExportNamedDeclaration',
]);
