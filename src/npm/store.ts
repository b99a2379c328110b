import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isRecord } from '../../sandbox/wire/json.js';
import { BulkheadError } from '../errors.js';
import { integrityOf } from '../plugin/integrity.js';
import { checkTree } from './check-tree.js';
import { readSignatures } from './provenance.js';
import type { PackageSpec } from './spec.js';

/** A package in the store, with its dependencies. */
export interface StoredPackage {
  readonly name: string;
  readonly version: string;
  /** The directory of the plugin: it names the package, which is in its `node_modules`. */
  readonly directory: string;
  /** When the version was published, in milliseconds since 1970; `undefined` if the registry does not say. */
  readonly publishedAtMs: number | undefined;
  readonly origin: PackageOrigin;
  /** The packages that were fetched, with it. */
  readonly packages: number;
}

/** Where a version comes from. */
export interface PackageOrigin {
  /** The account that published it; `undefined` if the registry does not say. */
  readonly publisher: string | undefined;
  /** `none`: it has no attestation. `unknown`: npm could not verify the one that it has. */
  readonly provenance: 'verified' | 'unknown' | 'none';
}

/** Fetches packages of npm into a directory of this user, without running their code. */
export interface PackageStore {
  readonly directory: string;
  /** Rejects with `PACKAGE_REFUSED`. */
  fetch(spec: PackageSpec): Promise<StoredPackage>;
  /** What is known of a fetched package, by its directory; `undefined` for a directory elsewhere. */
  describe(path: string): (PackageOrigin & { readonly name: string }) | undefined;
  /** Deletes what is in none of these directories. Returns the directories that it deleted. */
  removeOthers(kept: readonly string[]): readonly string[];
}

export interface StoreSpec {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The program of npm. Default: the one beside the running Node. */
  readonly npm?: string;
}

/** The directory of fetched packages. */
export function storeDirectoryOf({ environment }: Pick<StoreSpec, 'environment'>): string {
  const { XDG_DATA_HOME: data = '' } = environment;
  return join(data === '' ? join(homedir(), '.local', 'share') : data, 'bulkhead', 'npm');
}

export function openPackageStore({ directory, environment, npm }: StoreSpec): PackageStore {
  const run = (args: readonly string[], cwd: string, mayFail = false): Promise<string> =>
    runNpm(npm ?? findNpm(environment), args, { cwd, environment, mayFail });
  return {
    directory,
    fetch: async ({ name, version }) => {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const draft = join(directory, `.draft-${randomUUID()}`);
      mkdirSync(draft, { mode: 0o700 });
      try {
        const about = readAbout(
          name,
          await run(['view', `${name}@${version}`, ...VIEWED, '--json'], draft),
        );
        const describeIn = (origin: object): void =>
          writeFileSync(
            join(draft, MANIFEST),
            JSON.stringify({
              private: true,
              dependencies: { [name]: about.version },
              bulkhead: { server: name, ...origin },
            }),
          );
        describeIn({});
        await run(['install', ...INSTALL, '--package-lock-only'], draft);
        const lock = readFileSync(join(draft, 'package-lock.json'), 'utf8');
        const packages = checkTree(name, lock);
        await run(['ci', ...INSTALL], draft);
        const provenance = about.isAttested
          ? await verifyProvenance(name, () => run(['audit', 'signatures', '--json'], draft, true))
          : 'none';
        const origin = { publisher: about.publisher, provenance };
        describeIn(origin);
        sealTree(draft);
        const target = join(
          directory,
          `${name.replace('/', '+')}@${about.version}-${shortHash(lock)}`,
        );
        if (!existsSync(target)) renameSync(draft, target);
        const { version: found, publishedAtMs } = about;
        return { name, version: found, publishedAtMs, origin, directory: target, packages };
      } finally {
        removeTree(draft);
      }
    },
    describe: (path) => {
      if (!existsSync(path) || dirname(realpathSync(path)) !== realPathOf(directory)) return;
      return readOrigin(readFileSync(join(path, MANIFEST), 'utf8'));
    },
    removeOthers: (kept) => {
      if (!existsSync(directory)) return [];
      const real = new Set(kept.filter(existsSync).map((path) => realpathSync(path)));
      const removed = readdirSync(directory)
        .map((name) => join(directory, name))
        .filter((path) => !real.has(realpathSync(path)));
      for (const path of removed) removeTree(path);
      return removed;
    },
  };
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

const MANIFEST = 'package.json';

/** What npm is asked of a version. */
const VIEWED = ['version', 'time', '_npmUser', 'dist.attestations'];

interface About {
  readonly version: string;
  readonly publishedAtMs: number | undefined;
  readonly publisher: string | undefined;
  readonly isAttested: boolean;
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

function readOrigin(manifest: string): (PackageOrigin & { readonly name: string }) | undefined {
  const fields: unknown = JSON.parse(manifest);
  const bulkhead = isRecord(fields) ? fields['bulkhead'] : undefined;
  const { server, publisher, provenance } = isRecord(bulkhead) ? bulkhead : {};
  if (typeof server !== 'string') return undefined;
  return {
    name: server,
    publisher: typeof publisher === 'string' ? publisher : undefined,
    provenance: provenance === 'verified' || provenance === 'unknown' ? provenance : 'none',
  };
}

function realPathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
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
  const at = isRecord(time) ? time[version] : undefined;
  const atMs = typeof at === 'string' ? Date.parse(at) : NaN;
  return {
    version,
    publishedAtMs: Number.isFinite(atMs) ? atMs : undefined,
    publisher: publisherIn(one),
    isAttested: isRecord(one) && one['dist.attestations'] !== undefined,
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

/** Milliseconds for one run of npm. */
const NPM_MS = 300_000;
/** Bytes of npm's output. */
const MAX_OUTPUT = 16 * 1024 * 1024;

interface NpmRun {
  readonly cwd: string;
  readonly environment: StoreSpec['environment'];
  /** Resolve with what npm printed although it failed. */
  readonly mayFail: boolean;
}

function runNpm(
  program: string,
  args: readonly string[],
  { cwd, environment, mayFail }: NpmRun,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: environmentFor(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: NPM_MS,
    });
    const out: Buffer[] = [];
    const errors: Buffer[] = [];
    let bytes = 0;
    const collect = (into: Buffer[]) => (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_OUTPUT) child.kill();
      else into.push(chunk);
    };
    child.stdout.on('data', collect(out));
    child.stderr.on('data', collect(errors));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 || mayFail) return resolve(Buffer.concat(out).toString('utf8'));
      const said = Buffer.concat(errors).toString('utf8').trim().split('\n');
      const why = said
        .filter((line) => /error/i.test(line))
        .slice(0, 3)
        .join(' ')
        .slice(0, 500);
      return reject(refused('npm', `npm ${args[0]} failed: ${why}`));
    });
  });
}

/**
 * The settings of the user's own `.npmrc`, and nothing of the working directory: npm runs in the store. Of
 * the environment, npm gets its home, proxies and certificates.
 */
function environmentFor(environment: StoreSpec['environment']): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && KEPT.test(name) ? [[name, value]] : [],
  );
  // guard: npm-gets-few-variables
  return { ...Object.fromEntries(kept), PATH: dirname(process.execPath) };
}

const KEPT =
  /^(?:HOME|USERPROFILE|APPDATA|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|NPM_CONFIG_USERCONFIG|npm_config_userconfig|(?:https?|no)_proxy)$/i;

/** The program of npm beside the running Node, or of an absolute directory of PATH. */
function findNpm({ PATH = '' }: StoreSpec['environment']): string {
  const beside = [
    join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ];
  // A relative directory of PATH is one of the working directory.
  const absolute = PATH.split(delimiter).filter((one) => isAbsolute(one));
  const found = [...beside, ...absolute.map((one) => join(one, 'npm'))].find(existsSync);
  if (found !== undefined) return realpathSync(found);
  throw refused('npm', 'the command npm was not found. Install it with Node.js');
}

function refused(name: string, why: string): BulkheadError<'PACKAGE_REFUSED'> {
  return new BulkheadError('PACKAGE_REFUSED', `${name} was not fetched: ${why}.`, {
    package: name,
  });
}
