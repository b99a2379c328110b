import { transform, type Loader } from 'esbuild';
import type { BundleSpec } from '../spec.js';
import { describeModule } from './describe-module.js';
import { isCode } from './loaders.js';
import { neutralise } from './neutralise.js';
import { isPlain } from './scan.js';

export interface PreparedSource {
  readonly contents: string;
  readonly loader: Loader;
}

/** Characters of JSON from which it is cheaper, here and in the guest, not to parse it as code. */
const LARGE_JSON = 32 * 1024;

/**
 * Makes a file of the plugin into what esbuild may have: text that makes esbuild touch no disk,
 * that knows its own (made-up) place, on the same lines or with a source map that says so.
 */
export async function prepareSource(
  path: string,
  text: string,
  loader: Loader,
  builtins: NonNullable<BundleSpec['builtins']>,
): Promise<PreparedSource> {
  const source = text.replace(/^\uFEFF/, '');
  if (loader === 'json' && source.length > LARGE_JSON && isJson(source)) {
    return { contents: `module.exports = JSON.parse(${JSON.stringify(source)});`, loader: 'js' };
  }
  if (!isCode(loader)) return { contents: source, loader };
  // A hashbang may only stand at the very start, and the start is ours.
  const code = source.replace(/^#!/, '//');
  const plain = isPlain(code) ? { contents: code, loader } : await makePlain(path, code, loader);
  return { ...plain, contents: describeModule(path, plain.contents, builtins) + plain.contents };
}

/** What is not, esbuild says, and where. */
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
      // JSX, or syntax newer than acorn: esbuild can make plain JavaScript of both.
    }
  }
  // esbuild reads the source map that a comment names only where it is to make one itself.
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
