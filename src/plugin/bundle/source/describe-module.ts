import type { BundleSpec } from '../spec.js';

/** The variable that stands for `import.meta` in each file; esbuild's `define` points at it. */
export const MODULE_VARIABLE = '__bulkhead_module';

/** Where the plugin's files seem to lie: the only path of its own that a confined plugin sees. */
const PLUGIN_ROOT = '/plugin';

/**
 * A declaration of what `import.meta`, `__dirname` and `__filename` are in a file, where it may
 * mention them. A plugin with the real built-ins gets its real place, once it runs: a bundle's text
 * does not depend on where it was made.
 */
export function describeModule(
  path: string,
  code: string,
  builtins: NonNullable<BundleSpec['builtins']>,
): string {
  if (!/\bmeta\b|__dirname|__filename/.test(code)) return '';
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
    `dirname: ${within(directory)}, main: false, ` +
    // As Bun calls them.
    `path: ${within(path)}, dir: ${within(directory)}, file: ${JSON.stringify(file)} }; `
  );
}

/** The directory from which the guest's `require` looks things up: the plugin's. */
const REAL_ROOT = `$bulkhead.require.resolve.paths('./')[0]`;

function urlOf(path: string): string {
  const url = new URL('file:///');
  url.pathname = path.replaceAll('%', '%25');
  return url.href;
}
