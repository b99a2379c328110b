import { spawn, spawnSync } from 'node:child_process';
import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { makeDirectoriesSync } from '../make-directories.js';
import { isRecord } from '../../sandbox/wire/json.js';
import { refused, requireRegistry } from './refused.js';
import type { Environment } from './run-npm.js';
import type { GitSpec } from './spec.js';

/** The package of a repository, as its commit has it. */
export interface GitPackage {
  readonly name: string;
  readonly version: string;
  /** Whether it has a package.json. Without one, the name is the repository's. */
  readonly isPackage: boolean;
  /** The parts of its package.json that say what npm has to install. */
  readonly needs: Readonly<Record<string, unknown>>;
  /** Writes its files into a directory. */
  write(directory: string): void;
}

/** Milliseconds for one run of git. */
const GIT_MS = 300_000;
const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Fetches one commit and reads its files from git's objects. Nothing is checked out: there is no hook, no filter,
 * no submodule and no script. git runs in namespaces that bubblewrap makes, in which it sees the system's programs
 * and the working directory. `directory`: an empty one, for git alone.
 */
export async function fetchGit(
  { url, commit }: GitSpec,
  directory: string,
  environment: Environment,
): Promise<GitPackage> {
  const walls = findWalls(environment);
  const git = (args: readonly string[], input = ''): Promise<Buffer> =>
    runGit([...walls, ...visibleIn(directory), '--', 'git', ...SETTINGS, ...args], {
      directory,
      environment,
      input,
      url,
    });
  await git(['init', '--quiet', '--bare', '--template=', '.']);
  const fetch = (...what: readonly string[]): Promise<Buffer> =>
    git(['fetch', '--quiet', '--no-tags', '--no-recurse-submodules', '--no-auto-gc', ...what]);
  // Not every server hands out a commit by its id.
  await fetch('--depth=1', url, commit).catch(() =>
    fetch(url, '+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'),
  );
  const found = String(await git(['rev-parse', '--verify', `${commit}^{commit}`])).trim();
  // guard: git-commit-is-the-named-one
  if (found !== commit) throw refused(url, `it has no commit ${commit}`);
  const entries = readTree(await git(['ls-tree', '-r', '-z', '--full-tree', '-l', commit]), url);
  const contents = readObjects(
    await git(['cat-file', '--batch'], entries.map(({ id }) => `${id}\n`).join('')),
    entries.length,
    url,
  );
  const files = entries.map(({ path }, index) => ({ path, bytes: contents[index] ?? EMPTY }));
  const manifest = files.find(({ path }) => path === 'package.json');
  return {
    ...readManifest(manifest?.bytes, url),
    write: (target) => {
      for (const { path, bytes } of files) {
        const place = join(target, path);
        makeDirectoriesSync(dirname(place));
        writeFileSync(place, bytes, { flag: 'wx' });
      }
    },
  };
}

const EMPTY = Buffer.alloc(0);

/** No settings of the user or the machine, no credentials, no other protocol, and objects are checked. */
const SETTINGS = [
  ['protocol.allow', 'never'],
  ['protocol.https.allow', 'always'],
  // The address is checked: http: is for loopback alone.
  ['protocol.http.allow', 'always'],
  ['http.followRedirects', 'false'],
  ['credential.helper', ''],
  ['core.hooksPath', '/dev/null'],
  ['fetch.fsckObjects', 'true'],
  ['gc.auto', '0'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`]);

interface TreeEntry {
  readonly path: string;
  readonly id: string;
}

/** The plain files of a commit. Links, submodules and hidden files are left out. */
function readTree(listing: Buffer, url: string): readonly TreeEntry[] {
  let bytes = 0;
  const entries = listing
    .toString('utf8')
    .split('\0')
    .flatMap((line): TreeEntry[] => {
      const [, mode, id = '', size = '', path = ''] =
        /^(\d{6}) blob ([0-9a-f]{40,64}) +(\d+)\t(.+)$/s.exec(line) ?? [];
      // guard: git-plain-files-only
      if (mode !== '100644' && mode !== '100755') return [];
      if (!path.split('/').every(isPlainName)) return [];
      bytes += Number(size);
      return [{ path, id }];
    });
  // guard: git-tree-capped
  if (entries.length > MAX_FILES || bytes > MAX_BYTES) {
    throw refused(url, `it has more than ${MAX_FILES} files, or more than ${MAX_BYTES} bytes`);
  }
  return entries;
}

function isPlainName(name: string): boolean {
  // eslint-disable-next-line no-control-regex -- the test for control characters
  return name !== '' && !name.startsWith('.') && !/[\u0000-\u001f\u007f\\:]/.test(name);
}

/** Reads `<id> blob <size>\n<bytes>\n` for each object. */
function readObjects(output: Buffer, count: number, url: string): readonly Buffer[] {
  const objects: Buffer[] = [];
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    const end = output.indexOf('\n', at);
    const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(output.toString('latin1', at, end)) ?? [];
    if (end < 0 || size === undefined) throw refused(url, 'git did not return its files');
    objects.push(output.subarray(end + 1, end + 1 + Number(size)));
    at = end + Number(size) + 2;
  }
  return objects;
}

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]{0,199}\/)?[a-z0-9~-][a-z0-9._~-]{0,199}$/;

/** Why a commit without a package is refused, unless it is a plugin by another manifest. */
export const NO_PACKAGE = 'it has no package.json at its top';

/** The name of a repository, as `git clone` would name its directory. Throws `PACKAGE_REFUSED` without one. */
function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').findLast((part) => part !== '') ?? '';
  const name = last.replace(/\.git$/, '').toLowerCase();
  if (NAME.test(name)) return name;
  throw refused(url, `${NO_PACKAGE}, and its URL does not end with a name`);
}

function readManifest(bytes: Buffer | undefined, url: string): Omit<GitPackage, 'write'> {
  if (bytes === undefined) {
    return { name: nameOf(url), version: '0.0.0', isPackage: false, needs: {} };
  }
  let manifest: unknown;
  try {
    manifest = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw refused(url, 'its package.json is not JSON');
  }
  const fields = isRecord(manifest) ? manifest : {};
  const { name, version, dependencies, optionalDependencies, peerDependencies } = fields;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw refused(url, 'its package.json has no valid name');
  }
  for (const named of [dependencies, optionalDependencies, peerDependencies]) {
    // guard: git-dependencies-from-the-registry
    requireRegistry(name, named);
  }
  const needs = {
    dependencies,
    optionalDependencies,
    peerDependencies,
    peerDependenciesMeta: fields['peerDependenciesMeta'],
  };
  return {
    name,
    isPackage: true,
    version:
      typeof version === 'string' && /^[0-9A-Za-z.+-]{1,100}$/.test(version) ? version : '0.0.0',
    needs: Object.fromEntries(Object.entries(needs).filter(([, value]) => isRecord(value))),
  };
}

/**
 * The command that makes the walls around git. Throws `PACKAGE_REFUSED` with the remedy without bubblewrap: git
 * parses what a stranger's server sends, in native code.
 */
function findWalls({ PATH = '' }: Environment): readonly string[] {
  const find = (name: string): string | undefined =>
    PATH.split(delimiter)
      .filter((one) => isAbsolute(one))
      .map((one) => join(one, name))
      .find(existsSync);
  const [bwrap, git] = [find('bwrap'), find('git')];
  const install = 'On Debian, run: apt-get install git bubblewrap';
  if (git === undefined) throw refused('git:', `the command git was not found. ${install}`);
  const works = bwrap !== undefined && spawnSync(bwrap, [...WALLS, '--', 'true']).status === 0;
  // guard: git-never-without-walls
  if (bwrap === undefined || !works) {
    throw refused(
      'git:',
      `git runs only behind walls, and bubblewrap ${bwrap === undefined ? 'was not found' : 'does not work here'}. ${install}`,
    );
  }
  return [bwrap, ...WALLS];
}

/** Programs, libraries, certificates and how to find hosts. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/etc/ld.so.cache',
  '/etc/ssl',
  '/etc/pki',
  '/etc/ca-certificates',
  '/etc/alternatives',
  '/etc/nsswitch.conf',
  '/etc/hosts',
];

const WALLS = [
  '--die-with-parent',
  '--new-session',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--cap-drop',
  'ALL',
  ...SYSTEM.flatMap((path) => ['--ro-bind-try', path, path]),
  '--dev',
  '/dev',
  '--proc',
  '/proc',
  '--tmpfs',
  '/tmp',
];

function visibleIn(directory: string): readonly string[] {
  const resolver = '/etc/resolv.conf';
  return [
    // It is often a link into a directory that is hidden.
    ...(existsSync(resolver) ? ['--ro-bind', realpathSync(resolver), resolver] : []),
    '--bind',
    directory,
    directory,
    '--chdir',
    directory,
  ];
}

function runGit(
  [file = '', ...args]: readonly string[],
  {
    directory,
    environment,
    input,
    url,
  }: {
    readonly directory: string;
    readonly environment: Environment;
    readonly input: string;
    readonly url: string;
  },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: directory,
      env: variablesFor(directory, environment),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: GIT_MS,
      killSignal: 'SIGKILL',
    });
    const out: Buffer[] = [];
    let errors = '';
    let bytes = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES + MAX_FILES * 128) child.kill('SIGKILL');
      else out.push(chunk);
    });
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => (errors = (errors + text).slice(-2_000)));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) return resolve(Buffer.concat(out));
      const why = errors.trim().split('\n').slice(-2).join(' ').slice(0, 500);
      return reject(refused(url, `git failed: ${why}`));
    });
  });
}

/** Nothing of the user: no settings, no keys, no questions. Certificates and proxies are the machine's. */
function variablesFor(directory: string, environment: Environment): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && /^(?:https?|no)_proxy$/i.test(name) ? [[name, value]] : [],
  );
  return {
    ...Object.fromEntries(kept),
    PATH: '/usr/bin:/bin:/usr/local/bin',
    HOME: directory,
    LANG: 'C',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_SSH_COMMAND: 'false',
  };
}
