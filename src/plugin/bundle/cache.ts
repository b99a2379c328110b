import type { Bundle } from '../plugin.js';
import { buildBundle } from './build.js';
import type { BundleSpec } from './spec.js';
/** Bundles entries, each once. */
export interface BundleCache {
  bundle(spec: BundleSpec & { builtins?: string }): Promise<Bundle>;
}
export function makeBundleCache(_: { directory: string }): BundleCache {
  return { bundle: async ({ builtins: _b, ...spec }) => (await buildBundle(spec)).bundle };
}
