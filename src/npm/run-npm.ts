import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { refused } from './refused.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Runs npm in a directory, and resolves with what it printed. */
export type RunNpm = (
  args: readonly string[],
  options: {
    readonly cwd: string;
    /** The package for which it runs, in messages. */
    readonly name: string;
    /** Resolve with what npm printed although it failed. Default: reject. */
    readonly mayFail?: boolean;
  },
) => Promise<string>;

/**
 * The npm of this machine, behind walls: Node's permission model lets it write into its working directory and the
 * cache, read those, its own code and the user's settings, and start no process and no native code.
 */
export function makeNpm({
  environment,
  cache,
  npm,
}: {
  readonly environment: Environment;
  /** The directory of what it downloads. */
  readonly cache: string;
  /** The program of npm. Default: the one beside the running Node. */
  readonly npm?: string;
}): RunNpm {
  return (args, { cwd: directory, name, mayFail = false }) => {
    const program = npm ?? findNpm(environment);
    // Node compares paths as they are written.
    const [cwd, kept] = [realpathSync(directory), realpathSync(cache)];
    const readable = distinct([codeOf(program), ...settingsOf(environment), cwd, kept]);
    return run(
      [
        PERMISSION,
        ...NETWORK,
        '--no-warnings',
        ...readable.map((path) => `--allow-fs-read=${path}`),
        // guard: npm-writes-into-the-store-alone
        ...[cwd, kept].map((path) => `--allow-fs-write=${path}`),
        `--import=${describeParents(cwd)}`,
        program,
        ...args,
        `--cache=${kept}`,
        '--logs-max=0',
      ],
      { cwd, environment, mayFail, name, what: args[0] ?? '' },
    );
  };
}

/**
 * A module that answers `lstat` for the directories above the working directory, as npm asks for them while it
 * unpacks bundled dependencies. Node's permission model would refuse that, and cannot allow it without their files.
 */
function describeParents(cwd: string): string {
  const source = `import files from 'node:fs/promises';
    const { lstat } = files;
    const own = ${JSON.stringify(cwd)};
    files.lstat = (path, options) =>
      lstat(typeof path === 'string' && own.startsWith(path.endsWith('/') ? path : path + '/') ? own : path, options);`;
  return `data:text/javascript,${encodeURIComponent(source)}`;
}

/** Shorter first, without paths below others: Node 20 ends if it gets a path twice, or below another. */
function distinct(paths: readonly string[]): readonly string[] {
  const sorted = [...new Set(paths)].toSorted((a, b) => a.length - b.length);
  return sorted.filter((path, index) =>
    sorted.slice(0, index).every((above) => !path.startsWith(`${above}/`)),
  );
}

/** The flag of Node's permission model has an older name in Node 20. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission';

/** From Node 25 on, the permission model refuses the network too, and npm needs its registry. */
const NETWORK = process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : [];

/** Milliseconds for one run of npm. */
const NPM_MS = 300_000;
/** Bytes of npm's output. */
const MAX_OUTPUT = 16 * 1024 * 1024;

function run(
  args: readonly string[],
  {
    cwd,
    environment,
    mayFail,
    name,
    what,
  }: {
    readonly cwd: string;
    readonly environment: Environment;
    readonly mayFail: boolean;
    readonly name: string;
    readonly what: string;
  },
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...environmentFor(environment), TMPDIR: cwd },
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
      return reject(refused(name, `npm ${what} failed: ${why}${hintFor(why)}`));
    });
  });
}

/** What npm's words mean behind its walls: it cannot start git, and it reads the settings of the user alone. */
function hintFor(why: string): string {
  if (/\bE404\b/.test(why)) {
    return '. npm asked the registry of your own .npmrc; the .npmrc of a directory is not read';
  }
  return why.includes('ERR_ACCESS_DENIED')
    ? '. Perhaps a dependency comes from a git repository, which npm may not fetch here'
    : '';
}

/**
 * The settings of the user's own `.npmrc`, and nothing of the working directory: npm runs in the store. Of
 * the environment, npm gets its home, proxies and certificates.
 */
function environmentFor(environment: Environment): Record<string, string> {
  const kept = Object.entries(environment).flatMap(([name, value]): [string, string][] =>
    value !== undefined && KEPT.test(name) ? [[name, value]] : [],
  );
  // guard: npm-gets-few-variables
  return { ...Object.fromEntries(kept), PATH: dirname(process.execPath) };
}

const KEPT =
  /^(?:HOME|USERPROFILE|APPDATA|LANG|NODE_EXTRA_CA_CERTS|NPM_CONFIG_USERCONFIG|npm_config_userconfig|(?:https?|no)_proxy)$/i;

/** The files of npm's settings that this user has. */
function settingsOf(environment: Environment): readonly string[] {
  const { HOME, USERPROFILE, NPM_CONFIG_USERCONFIG, npm_config_userconfig: lower } = environment;
  const home = HOME ?? USERPROFILE ?? homedir();
  const files = [
    NPM_CONFIG_USERCONFIG ?? lower ?? join(home, '.npmrc'),
    join(dirname(process.execPath), '..', 'etc', 'npmrc'),
  ].filter(existsSync);
  const named = [...files.flatMap(certificatesIn), environment['NODE_EXTRA_CA_CERTS'] ?? ''];
  return [...files, ...named.filter((path) => path !== '' && existsSync(path))];
}

/** The files of certificates and keys that a file of settings names. */
function certificatesIn(file: string): readonly string[] {
  return [
    ...readFileSync(file, 'utf8').matchAll(/^\s*(?:\S+:)?(?:ca|cert|key)file\s*=\s*(.+?)\s*$/gm),
  ].map(([, path = '']) => path.replaceAll(/^["']|["']$/g, ''));
}

/** The directory of npm's code. */
function codeOf(program: string): string {
  const parent = dirname(dirname(program));
  return existsSync(join(parent, 'package.json')) ? parent : dirname(program);
}

/** The program of npm beside the running Node, or of an absolute directory of PATH. */
function findNpm({ PATH = '' }: Environment): string {
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
