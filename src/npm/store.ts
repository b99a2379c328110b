import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { makeDirectoriesSync } from '../make-directories.js';
import { isRecord } from '../../sandbox/wire/json.js';
import { integrityOf } from '../plugin/integrity.js';
import { checkTree } from './check-tree.js';
import { readSignatures } from './provenance.js';
import { fetchGit, NO_PACKAGE } from './git.js';
import {
  MANIFEST,
  packageIn,
  type PackageOrigin,
  placeIn,
  readCommit,
  readManifest,
  readOrigin,
  realPathOf,
} from './origin.js';
import { type Peers, readPeers, withoutProvided, withoutProvidedIn } from './peers.js';
import { refused, requireRegistry } from './refused.js';
import { type Environment, makeNpm } from './run-npm.js';
import type { GitSpec, PackageSpec } from './spec.js';

/** A package in the store, with its dependencies. */
export interface StoredPackage {
  readonly name: string;
  readonly version: string;
  /**
   * The directory of the plugin: the package's own, or for a program the one above, which names the package
   * and has it in its `node_modules`.
   */
  readonly directory: string;
  /** When the version was published, in milliseconds since 1970; `undefined` if the registry does not say. */
  readonly publishedAtMs: number | undefined;
  readonly origin: PackageOrigin;
  /** The packages that were fetched, with it. */
  readonly packages: number;
}

/** Fetches packages of npm into a directory of this user, without running their code. */
export interface PackageStore {
  readonly directory: string;
  /** Rejects with `PACKAGE_REFUSED`. */
  fetch(spec: PackageSpec): Promise<StoredPackage>;
  /** Fetches a commit, and its dependencies from the registry. Rejects with `PACKAGE_REFUSED`. */
  fetchCommit(spec: GitSpec): Promise<StoredPackage>;
  /** What is known of a package of the registry, by its directory; `undefined` for any other directory. */
  describe(path: string): (PackageOrigin & { readonly name: string }) | undefined;
  /** The commit and the name of a package that was fetched as a commit, by its directory. */
  commitOf(path: string): (GitSpec & { readonly name: string }) | undefined;
  /** Deletes what is in none of these directories. Returns the directories that it deleted. */
  removeOthers(kept: readonly string[]): readonly string[];
}

export interface StoreSpec {
  readonly directory: string;
  readonly environment: Environment;
  readonly systems: PackagedPlugins;
  /** The program of npm. Default: the one beside the running Node. */
  readonly npm?: string;
}

/** What plugin systems expect of their packages. */
export interface PackagedPlugins {
  /** Packages that hosts provide to plugins, by name. No registry has to have them. */
  readonly provided: readonly string[];
  /** Whether a package has the manifest of a plugin, and so is no program that the directory above names. */
  isPlugin(directory: string): Promise<boolean>;
}

/** The directory of fetched packages. */
export function storeDirectoryOf({ environment }: Pick<StoreSpec, 'environment'>): string {
  const { XDG_DATA_HOME: data = '' } = environment;
  return join(data === '' ? join(homedir(), '.local', 'share') : data, 'bulkhead', 'npm');
}

export function openPackageStore({
  directory,
  environment,
  systems,
  npm,
}: StoreSpec): PackageStore {
  const cache = join(directory, CACHE);
  const run = makeNpm({ environment, cache, ...(npm === undefined ? {} : { npm }) });
  /** Fills a new directory, and gives it its place. */
  const store = async (fill: (draft: string) => Promise<Filled>): Promise<StoredPackage> => {
    makeDirectoriesSync(cache, 0o700);
    const draft = join(realPathOf(directory), `.draft-${randomUUID()}`);
    mkdirSync(draft, { mode: 0o700 });
    try {
      const { lock, ...stored } = await fill(draft);
      sealTree(draft);
      const { name, version } = stored;
      const target = join(directory, `${name.replace('/', '+')}@${version}-${shortHash(lock)}`);
      if (!existsSync(target)) renameSync(draft, target);
      const own = packageIn(target, name);
      return { ...stored, directory: (await systems.isPlugin(own)) ? own : target };
    } finally {
      removeTree(draft);
    }
  };
  /** Resolves and installs what a draft's package.json names. Returns npm's lock file. */
  const install = async (
    name: string,
    draft: string,
    more: readonly string[] = [],
  ): Promise<{ lock: string; count: number }> => {
    const settings = [...INSTALL, ...more];
    await run(['install', ...settings, '--package-lock-only'], { cwd: draft, name });
    const lock = readFileSync(join(draft, 'package-lock.json'), 'utf8');
    const count = checkTree(name, lock);
    await run(['ci', ...settings], { cwd: draft, name });
    return { lock, count };
  };
  return {
    directory,
    fetch: ({ name, version }) =>
      store(async (draft) => {
        const about = readAbout(
          name,
          await run(['view', `${name}@${version}`, ...VIEWED, '--json'], { cwd: draft, name }),
        );
        const peers = withoutProvided(about.peers, systems.provided);
        const describeIn = (origin: object): void =>
          writeManifest(draft, {
            dependencies: { ...peers, [name]: about.version },
            bulkhead: { server: name, ...origin },
          });
        describeIn({});
        // npm would ask the registry for the peers that the host provides.
        const more = peers === undefined ? [] : ['--legacy-peer-deps'];
        const { lock, count } = await install(name, draft, more);
        const audit = (): Promise<string> =>
          run(['audit', 'signatures', '--json'], { cwd: draft, mayFail: true, name });
        const provenance = about.isAttested ? await verifyProvenance(name, audit) : 'none';
        const origin = { publisher: about.publisher, provenance };
        describeIn(origin);
        const { version: found, publishedAtMs } = about;
        return { name, version: found, publishedAtMs, origin, packages: count, lock };
      }),
    fetchCommit: ({ url, commit }) =>
      store(async (draft) => {
        const objects = join(draft, '.git-objects');
        mkdirSync(objects, { mode: 0o700 });
        const { name, version, write, isPackage, ...fetched } = await fetchGit(
          { url, commit },
          objects,
          environment,
        );
        const needs = withoutProvidedIn(fetched.needs, systems.provided);
        writeManifest(draft, needs);
        const isAlone = Object.keys(needs).length === 0;
        const { lock, count } = isAlone ? { lock: '', count: 0 } : await install(name, draft);
        const place = packageIn(draft, name);
        if (existsSync(place)) throw refused(name, 'it depends on another package of its own name');
        makeDirectoriesSync(place);
        write(place);
        // The plugins of some systems are no packages.
        if (!isPackage && !(await systems.isPlugin(place))) throw refused(url, NO_PACKAGE);
        const source = `${url}#${commit}`;
        writeManifest(draft, { ...needs, bulkhead: { server: name, commit: source } });
        return {
          name,
          version,
          publishedAtMs: undefined,
          origin: { publisher: undefined, provenance: 'none' },
          packages: count + 1,
          lock: `${source} ${lock}`,
        };
      }),
    describe: (path) => readOrigin(readManifest(directory, path)),
    commitOf: (path) => readCommit(readManifest(directory, path)),
    removeOthers: (kept) => {
      if (!existsSync(directory)) return [];
      const real = new Set(kept.map((path) => placeIn(directory, path)));
      const removed = readdirSync(directory)
        .map((name) => join(directory, name))
        // Another command may be fetching.
        .filter((path) => !real.has(placeIn(directory, path)) && !isInUse(path));
      for (const path of removed) removeTree(path);
      return removed;
    },
  };
}

/** What is known of a filled draft. */
type Filled = Omit<StoredPackage, 'directory'> & { readonly lock: string };

/** What npm downloaded, for the next package. */
const CACHE = '.cache';

function writeManifest(draft: string, fields: object): void {
  // npm's lock file has the name, or else that of the draft's directory: one package would get many places.
  const own = { name: 'bulkhead-package', private: true };
  writeFileSync(join(draft, MANIFEST), JSON.stringify({ ...own, ...fields }));
}

/** Neither scripts nor links to programs, and nothing that is only for development. */
const INSTALL = [
  '--ignore-scripts',
  '--no-bin-links',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--loglevel=error',
  // With it, the lock file says which packages do not come from a registry.
  '--omit-lockfile-registry-resolved=true',
  // A git dependency cannot be fetched. The check of the tree names it.
  '--git=false',
];

function shortHash(text: string): string {
  return integrityOf(text)
    .replace(/^sha512-/, '')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 12);
}

const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies'];

/** What npm is asked of a version. */
const VIEWED = [
  'version',
  'time',
  '_npmUser',
  'dist.attestations',
  ...DEPENDENCIES,
  'peerDependenciesMeta',
];

interface About {
  readonly version: string;
  readonly publishedAtMs: number | undefined;
  readonly publisher: string | undefined;
  readonly isAttested: boolean;
  readonly peers: Peers;
}

/** Rejects with `PACKAGE_REFUSED` if an attestation is invalid. */
async function verifyProvenance(
  name: string,
  audit: () => Promise<string>,
): Promise<PackageOrigin['provenance']> {
  const attested = readSignatures(await audit());
  if (attested.outcome !== 'invalid') return attested.outcome;
  throw refused(name, `attestations are not valid: ${attested.packages.join(', ')}`);
}

/** Milliseconds after which a draft, or what npm downloaded, is left over. */
const IN_USE_MS = 3_600_000;

function isInUse(path: string): boolean {
  return basename(path).startsWith('.') && Date.now() - lstatSync(path).mtimeMs < IN_USE_MS;
}

/** Reads the answer of `npm view`. With several versions in the range, the last one counts. */
function readAbout(name: string, text: string): About {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw refused(name, 'the registry did not describe it');
  }
  const one: unknown = Array.isArray(answer) ? answer.at(-1) : answer;
  const { version, time } = isRecord(one) ? one : {};
  if (typeof version !== 'string' || !/^[0-9A-Za-z.+-]{1,100}$/.test(version)) {
    throw refused(name, 'the registry has no such version');
  }
  // npm would say only that it may not start git. The tree is checked whole, later.
  for (const named of DEPENDENCIES) requireRegistry(name, isRecord(one) ? one[named] : undefined);
  const at = isRecord(time) ? time[version] : undefined;
  const atMs = typeof at === 'string' ? Date.parse(at) : NaN;
  return {
    version,
    publishedAtMs: Number.isFinite(atMs) ? atMs : undefined,
    publisher: publisherIn(one),
    isAttested: isRecord(one) && one['dist.attestations'] !== undefined,
    peers: readPeers(isRecord(one) ? one : {}),
  };
}

/** npm writes the account as `name <address>`, or as an object. */
function publisherIn(about: unknown): string | undefined {
  const user = isRecord(about) ? about['_npmUser'] : undefined;
  const name = isRecord(user) ? user['name'] : user;
  return typeof name === 'string' ? name.replace(/ <.*$/, '').slice(0, 200) : undefined;
}

/** Removes links and hidden files, and makes the rest read-only. */
function sealTree(directory: string): void {
  for (const name of readdirSync(directory)) {
    const path = join(directory, name);
    const stats = lstatSync(path);
    // guard: stored-package-plain-files
    if (name.startsWith('.') || !(stats.isFile() || stats.isDirectory())) removeTree(path);
    else if (stats.isFile()) chmodSync(path, 0o444);
    else sealTree(path);
  }
  // The directory itself stays writable for its owner, so that it can be deleted.
  chmodSync(directory, 0o755);
}

function removeTree(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
