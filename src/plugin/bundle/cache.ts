import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { integrityOf } from '../integrity.js';
import type { Bundle } from '../plugin.js';
import { buildApart } from './bundler.js';
import { isCurrent } from './evidence.js';
import { bundlerFingerprint } from './fingerprint.js';
import { parseBuilt, type Built } from './parse-built.js';
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
    const kept = await readEntry(file);
    if (kept !== undefined && (await isCurrent(kept.evidence))) return kept.bundle;
    const built = await build(spec);
    await writeEntry(directory, file, built);
    return built.bundle;
  };

  return {
    bundle: (spec) => {
      const file = join(directory, `${keyOf(spec)}.json`);
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
  return createHash('sha256').update(JSON.stringify(what)).digest('hex');
}

/** An entry is a line with the hash of the rest, and the rest. */
async function readEntry(file: string): Promise<Built | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    const end = text.indexOf('\n');
    const rest = text.slice(end + 1);
    if (integrityOf(rest) !== text.slice(0, end)) return undefined;
    const built = parseBuilt(JSON.parse(rest));
    return built !== undefined && integrityOf(built.bundle.code) === built.bundle.hash
      ? built
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes beside the entry and renames, so that nobody ever reads half of one. */
async function writeEntry(directory: string, file: string, built: Built): Promise<void> {
  const rest = JSON.stringify(built);
  const beside = `${file}.${randomUUID()}`;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(beside, `${integrityOf(rest)}\n${rest}`, { mode: 0o600 });
    await rename(beside, file);
  } catch {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}
