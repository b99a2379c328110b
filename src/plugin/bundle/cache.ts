import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Bundle } from '../plugin.js';
import { buildApart } from './bundler.js';
import { isCurrent } from './evidence.js';
import { bundlerFingerprint } from './fingerprint.js';
import { keepBuilt, readKept } from './kept.js';
import type { Built } from './parse-built.js';
import type { BundleSpec } from './spec.js';

export interface BundleCache {
  /** As `bundlePlugin`, unless nothing has changed since the last time. */
  bundle(spec: BundleSpec): Promise<Bundle>;
}

/**
 * Keeps bundles on disk. What it finds there is used only if it is whole (its hash is checked) and
 * if every file, link and gap that the bundle depends on is as it was; else it is made again. A
 * directory that cannot be written is no error: then nothing is kept.
 */
export function makeBundleCache(options: {
  /** Where to keep them. Whoever can write there decides what plugins run. */
  readonly directory: string;
  /** How bundles are made; tests count it. */
  readonly build?: (spec: BundleSpec) => Promise<Built>;
}): BundleCache {
  const { directory, build = buildApart } = options;
  const underWay = new Map<string, Promise<Bundle>>();

  const find = async (spec: BundleSpec, file: string): Promise<Bundle> => {
    const kept = readKept(file);
    if (kept !== undefined && (await isCurrent(kept.evidence))) return kept.bundle;
    const built = await build(spec);
    await keepBuilt(directory, file, built);
    return built.bundle;
  };

  return {
    bundle: (spec) => {
      const file = join(directory, keyOf(spec));
      let bundle = underWay.get(file);
      if (bundle === undefined) {
        bundle = find(spec, file).finally(() => underWay.delete(file));
        underWay.set(file, bundle);
      }
      return bundle;
    },
  };
}

function keyOf({ directory, entry, virtualModules, builtins, limits }: BundleSpec): string {
  const { deadlineMs: _, ...caps } = limits ?? {};
  const what = [
    bundlerFingerprint(),
    directory,
    entry,
    virtualModules ?? [],
    builtins ?? 'powerless',
    caps,
  ];
  return hash('sha256', JSON.stringify(what), 'hex');
}
