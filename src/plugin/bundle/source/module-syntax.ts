import { parseSource } from '../rewrite/parse.js';

/** Whether a JavaScript file is an ES module: by its extension, or because it has imports or exports. */
export function isEsModule(path: string, text: string): boolean {
  if (/\.[cm][jt]s$/.test(path)) return /\.m[jt]s$/.test(path);
  if (!/\.[jt]sx?$/.test(path) || !/\b(?:import|export)\b/.test(text)) return false;
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
