import { posix } from 'node:path';
import type { Loader } from 'esbuild';

const LOADERS: Readonly<Record<string, Loader>> = {
  // JSX in a .js file is no other language: it is a syntax error in every other reading.
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

/** How a file is read, by its extension or by what the import says of it (`with { type: 'text' }`). */
export function loaderOf(
  path: string,
  attributes: Readonly<Record<string, string>>,
): Loader | undefined {
  if (attributes['type'] === 'json') return 'json';
  if (attributes['type'] === 'text') return 'text';
  return LOADERS[posix.extname(path)];
}

export function isCode(loader: Loader): loader is 'jsx' | 'ts' | 'tsx' {
  return loader === 'jsx' || loader === 'ts' || loader === 'tsx';
}
