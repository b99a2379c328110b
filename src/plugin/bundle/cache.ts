import { createHash } from 'node:crypto';
import { hash as hashOf } from '../../hash.js';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BulkheadError } from '../../errors.js';
import { ownFile, ownRequire } from '../../own-file.js';
import { replaceFile } from '../../replace-file.js';
import { integrityOf } from '../integrity.js';
import type { Bundle } from '../plugin.js';
import { builtinDirectory } from './builtins.js';
import type { Bundler } from './bundler.js';
import { stampOf } from './evidence.js';
import { isCurrent } from './is-current.js';
import { type Built, parseBuilt } from './parse-built.js';
import type { BundleSpec } from './spec.js';

/** Milliseconds until what an author's change built is stored, if no other change follows. */
const STORE_DELAY_MS = 500;

export interface BundleCache {
  /** Returns the stored bundle, or calls `bundlePlugin` if a source has changed. */
  bundle(spec: BundleSpec): Promise<Bundle>;
  /** Stores what was built for an author and is not stored yet. What is built later is not stored. */
  close(): Promise<void>;
}

/**
 * Stores bundles on disk. A stored bundle is used only if its hash is right and every file, link
 * and absent path that it depends on is unchanged; otherwise it is built again. If the directory is
 * not writable, bundles are not stored; that is not an error.
 */
export function makeBundleCache(options: {
  /** The directory of the stored bundles. A process that can write to it controls what plugins run. */
  readonly directory: string;
  readonly bundler: Bundler;
  /** Whether the bundler is prepared for a plugin whose bundle is stored, because its author changes it. Default: no. */
  readonly prepares?: boolean;
}): BundleCache {
  const { directory, bundler, prepares = false } = options;
  const pending = new Map<string, Promise<Bundle>>();
  /** For an author: what was built and may not be stored yet. */
  const recent = new Map<string, Built>();
  /** Those of them that are not stored yet. */
  const timers = new Map<string, NodeJS.Timeout>();
  const storing = new Set<Promise<void>>();
  let isClosed = false;

  const store = (file: string): void => {
    clearTimeout(timers.get(file));
    timers.delete(file);
    const built = recent.get(file);
    if (built === undefined) return;
    const stored = storeBundle(file, built).finally(() => storing.delete(stored));
    storing.add(stored);
  };

  const find = async (spec: BundleSpec, file: string): Promise<Bundle> => {
    const stored = recent.get(file) ?? readStoredBundle(file);
    if (stored !== undefined && (await isCurrent(stored.evidence))) {
      if (prepares) bundler.prepare(spec);
      return stored.bundle;
    }
    const built = await bundler.build(spec);
    if (isClosed) return built.bundle;
    if (prepares) {
      // An author waits for the reload, and not for the next start. To write the texts as JSON takes a while.
      recent.set(file, built);
      clearTimeout(timers.get(file));
      timers.set(file, setTimeout(() => store(file), STORE_DELAY_MS).unref());
    } else await storeBundle(file, built);
    return built.bundle;
  };

  return {
    bundle: (spec) => {
      const file = join(directory, keyOf(spec));
      let bundle = pending.get(file);
      if (bundle === undefined) {
        bundle = find(spec, file).finally(() => pending.delete(file));
        pending.set(file, bundle);
      }
      return bundle;
    },
    close: async () => {
      isClosed = true;
      for (const file of timers.keys()) store(file);
      await Promise.all(storing);
    },
  };
}

function keyOf(spec: BundleSpec): string {
  const { directory, entry, virtualModules, builtins, rewrite, separate, packageBuilds, limits } =
    spec;
  const { processorMs: _, deadlineMs: __, ...caps } = limits ?? {};
  const what = [
    bundlerFingerprint(),
    directory,
    entry,
    virtualModules ?? [],
    builtins ?? 'powerless',
    rewrite ?? true,
    caps,
    ...(separate === undefined ? [] : [separate === 'installed' ? separate : separate.together]),
    ...(packageBuilds === undefined ? [] : [{ packageBuilds }]),
  ];
  return hashOf('sha256', JSON.stringify(what), 'hex');
}

/**
 * A stored bundle is two files: its texts, and a head of a few kilobytes. The engine reads the head
 * when it starts, and the texts when a guest needs the code. Reads are synchronous: by the thread
 * pool each would take ten times as long, which counts with a thousand plugins.
 */
function readStoredBundle(file: string): Built | undefined {
  try {
    const text = readFileSync(headOf(file), 'utf8');
    const end = text.indexOf('\n');
    const head = text.slice(end + 1);
    if (integrityOf(head) !== text.slice(0, end)) return undefined;
    const { built, stamp } = JSON.parse(head);
    const parsed = parseBuilt(built);
    if (parsed === undefined || stampNow(textsOf(file)) !== stamp) return undefined;
    return { ...parsed, bundle: new StoredBundle(parsed.bundle, textsOf(file)) };
  } catch {
    return undefined;
  }
}

/** Never rejects. */
async function storeBundle(file: string, built: Built): Promise<void> {
  const { bundle, evidence } = built;
  const { code, sourceMap, ...rest } = bundle;
  try {
    await replaceFile(textsOf(file), JSON.stringify({ code, sourceMap }), PRIVATE);
    const head = JSON.stringify({
      built: { bundle: { ...rest, code: '', sourceMap: '' }, evidence },
      stamp: stampNow(textsOf(file)),
    });
    await replaceFile(headOf(file), `${integrityOf(head)}\n${head}`, PRIVATE);
  } catch {
    // A bundle that is not stored is built again next time.
  }
}

function headOf(file: string): string {
  return `${file}.json`;
}

function textsOf(file: string): string {
  return `${file}.texts.json`;
}

function stampNow(path: string): string {
  return stampOf(lstatSync(path, { bigint: true }));
}

/** A bundle whose texts are read, and checked against its hash, on first use. */
class StoredBundle implements Bundle {
  readonly hash: Bundle['hash'];
  readonly assignedGlobals: Bundle['assignedGlobals'];
  readonly inputs: Bundle['inputs'];
  readonly packages: Bundle['packages'];
  readonly warnings: Bundle['warnings'];
  readonly broken: Bundle['broken'];
  readonly #file: string;
  #texts: Texts | undefined;

  constructor(head: Bundle, file: string) {
    const { hash, assignedGlobals, inputs, packages, warnings, broken } = head;
    this.hash = hash;
    this.assignedGlobals = assignedGlobals;
    this.inputs = inputs;
    this.packages = packages;
    this.warnings = warnings;
    this.broken = broken;
    this.#file = file;
  }

  get code(): string {
    return this.#read().code;
  }

  get sourceMap(): string {
    return this.#read().sourceMap;
  }

  #read(): Texts {
    return (this.#texts ??= readTexts(this.#file, this.hash));
  }
}

type Texts = Pick<Bundle, 'code' | 'sourceMap'>;

function readTexts(file: string, hash: string): Texts {
  try {
    const { code, sourceMap } = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof code === 'string' && typeof sourceMap === 'string' && integrityOf(code) === hash) {
      return { code, sourceMap };
    }
  } catch {
    // A file that cannot be read counts as changed: refused below.
  }
  throw new BulkheadError(
    'BUNDLE_FAILED',
    `The stored bundle ${file} was removed or changed while the engine ran. Call engine.reload() to build it again.`,
    { problems: [] },
  );
}

const PRIVATE = { mode: 0o600, directoryMode: 0o700 } as const;

let fingerprint: string | undefined;

/** Changes whenever the bundler may produce a different bundle from the same sources. */
function bundlerFingerprint(): string {
  if (fingerprint === undefined) {
    const hash = createHash('sha256').update(`${versionOf('esbuild')} ${versionOf('acorn')}`);
    const own = ['dist/lib/engine', 'dist/lib/plugin/bundle'].map((path) => ownFile(path));
    for (const directory of [...own, builtinDirectory()]) {
      const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
      for (const name of names.filter((file) => /\.c?[jt]s$/.test(file)).toSorted()) {
        hash.update(`\n${name}\n`).update(readFileSync(join(directory, name)));
      }
    }
    fingerprint = hash.digest('hex');
  }
  return fingerprint;
}

/** Read from its manifest, because to load the package takes longer than to start a guest. */
function versionOf(name: string): string {
  const manifest: { readonly version: string } = ownRequire()(`${name}/package.json`);
  return manifest.version;
}
