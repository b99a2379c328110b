import type { Bundle } from '../plugin.js';
import { buildApart } from './bundler.js';
import type { BundleSpec } from './spec.js';

/**
 * Makes one text out of a plugin's entry and all that it imports, that runs under SES.
 *
 * `Bundle.code` is one expression, a function that evaluates the plugin's modules and returns the
 * entry's exports (a promise of them where a module awaits at its top level). It takes
 * `{ modules, importRefused }`: the modules that the guest provides under the specifiers of
 * `virtualModules`, and the function that stands in for an `import()` of a computed specifier.
 *
 * Throws `BUNDLE_FAILED` with every problem's place and remedy, `OUTSIDE_PLUGIN` where a path leads
 * out of the directory, and `PLUGIN_NOT_FOUND` where there is no such directory.
 */
export async function bundlePlugin(spec: BundleSpec): Promise<Bundle> {
  const { bundle } = await buildApart(spec);
  return bundle;
}
