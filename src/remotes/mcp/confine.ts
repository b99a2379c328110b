import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { BulkheadError, messageOf } from '../../errors.js';
import { parseNetwork } from '../../permissions/network.js';
import type { Confinement } from '../remote.js';
import type { CommandSpec } from './command-transport.js';

/** A command that `@anthropic-ai/sandbox-runtime` starts and confines. */
export interface ConfinedCommand {
  readonly spec: CommandSpec;
  /** Deletes its temporary home. */
  dispose(): void;
}

/** What this machine has to confine a command. */
export interface ConfiningMachine {
  readonly platform: string;
  /** The version of Node that runs sandbox-runtime. */
  readonly node: string;
  /** The directory of its code; `undefined` if it is not installed. */
  readonly runtime: () => string | undefined;
  /** What it misses on this machine, in its own words. */
  readonly missing: () => Promise<readonly string[]>;
}

const PACKAGE = '@anthropic-ai/sandbox-runtime';
const MIN_NODE = '22.12.0';

export const thisMachine: ConfiningMachine = {
  platform: process.platform,
  node: process.versions.node,
  runtime: () => {
    try {
      return dirname(createRequire(import.meta.url).resolve(PACKAGE));
    } catch {
      return undefined;
    }
  },
  missing: async () => {
    const { SandboxManager } = await import('@anthropic-ai/sandbox-runtime');
    const { errors, warnings } = await SandboxManager.checkDependenciesAsync();
    // A warning is a wall that would be missing.
    // guard: confine-no-missing-wall
    return [...errors, ...warnings];
  },
};

/** The places of programs and libraries, which hold no file of a person. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc/ld.so.cache',
  '/etc/ssl',
  '/etc/pki',
  '/etc/ca-certificates',
  '/etc/alternatives',
  '/etc/passwd',
  '/etc/group',
  '/etc/nsswitch.conf',
  '/etc/hosts',
  '/etc/localtime',
  '/etc/mime.types',
];

/** Writable for each of its commands, unless it is denied: two servers would share it. */
const SHARED = '/tmp/claude';

/** Addresses that no name may lead to: private networks. Loopback and this machine's are always denied. */
const PRIVATE = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

/**
 * Makes the command that runs a server under sandbox-runtime. Rejects with `INVALID_OPTIONS` if the server
 * cannot be confined as the operator says; then it must not run.
 */
export async function confineCommand(
  id: string,
  spec: CommandSpec,
  confine: Confinement,
  machine: ConfiningMachine = thisMachine,
): Promise<ConfinedCommand> {
  const why = await whyNotConfined(machine);
  const runtime = machine.runtime();
  // guard: confine-never-silently-without
  if (why !== undefined || runtime === undefined) throw cannot(id, why ?? 'it is not installed');
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'bulkhead-confined-')));
  const dispose = (): void => rmSync(scratch, { recursive: true, force: true });
  try {
    const home = join(scratch, 'home');
    // The sockets of the proxies, which the server has to see.
    const sockets = join(scratch, 's');
    for (const path of [home, sockets]) mkdirSync(path, { mode: 0o700 });
    const files = placesOf(id, confine);
    const visible = [...SYSTEM.filter(existsSync), ...files.map(({ path }) => path)];
    const command = findProgram(id, spec, visible);
    const settings = join(scratch, 'settings.json');
    // Outside the home: the server cannot change it.
    writeFileSync(
      settings,
      JSON.stringify({
        network: {
          allowedDomains: domainsOf(id, confine),
          deniedDomains: [],
          deniedResolvedAddresses: PRIVATE,
        },
        filesystem: {
          // Everything, with the files of the top directory, which it would not deny otherwise.
          // guard: confine-denies-all-files
          denyRead: ['/', ...topFiles(), ...[SHARED].filter(existsSync)],
          allowRead: [...visible, home, sockets, join(runtime, '..', 'vendor')],
          allowWrite: [
            home,
            ...files.flatMap(({ path, isWritable }) => (isWritable ? [path] : [])),
          ],
          denyWrite: [SHARED].filter(existsSync),
        },
      }),
    );
    chmodSync(settings, 0o400);
    return {
      spec: {
        command: process.execPath,
        args: [join(runtime, 'cli.js'), '--settings', settings, '--', command, ...spec.args],
        env: { ...spec.env, HOME: home, TMPDIR: sockets, CLAUDE_CODE_TMPDIR: home },
        cwd: spec.cwd ?? home,
      },
      dispose,
    };
  } catch (error) {
    dispose();
    throw error;
  }
}

/** Throws `INVALID_OPTIONS` for a host or a path that cannot be confined to. */
export function checkConfinement(id: string, confine: Confinement): void {
  domainsOf(id, confine);
  for (const text of confine.fs ?? []) readPlace(id, text);
}

/** Why this machine cannot confine a command, with the remedy; `undefined` if it can. */
export async function whyNotConfined({
  platform,
  node,
  runtime,
  missing,
}: ConfiningMachine = thisMachine): Promise<string | undefined> {
  if (platform !== 'linux') {
    return `confine works on Linux only, and this is ${platform}. Run it on Linux`;
  }
  // Loaded on first use, because most engines confine no command.
  const { default: gte } = await import('semver/functions/gte.js');
  // guard: confine-node-version
  if (!gte(node, MIN_NODE)) {
    return `confine needs Node ${MIN_NODE} or later, and this is Node ${node}. Start Bulkhead with a newer Node`;
  }
  if (runtime() === undefined) {
    return `confine needs the package ${PACKAGE}. To install it, run: npm i ${PACKAGE}@~0.0.78`;
  }
  const lacks = await missing();
  if (lacks.length === 0) return undefined;
  return `${PACKAGE} cannot confine it on this machine: ${lacks.join('; ')}. On Debian, run: apt-get install bubblewrap socat ripgrep`;
}

interface Place {
  readonly path: string;
  readonly isWritable: boolean;
}

function placesOf(id: string, { fs = [] }: Confinement): readonly Place[] {
  return fs.map((text) => {
    const { path, isWritable } = readPlace(id, text);
    if (!existsSync(path)) {
      throw wrong(id, 'fs', text, `${path} does not exist. Create it, or remove the entry.`);
    }
    // A link is visible only where it leads to.
    return { path: realpathSync(path), isWritable };
  });
}

function readPlace(id: string, text: string): Place {
  const [, named = '', mode] = /^(.*?)(?::(rw|ro))?$/s.exec(text) ?? [];
  const refuse = (why: string): BulkheadError => wrong(id, 'fs', text, why);
  if (named === '') throw refuse('it is empty. Name a directory.');
  if (named.startsWith('~')) throw refuse('"~" is not expanded. Write the whole path.');
  // sandbox-runtime reads these characters as a pattern.
  // guard: confine-no-patterns
  if (/[*?[\]{}]/.test(named)) throw refuse('a path is not a pattern. Name the directory.');
  const path = resolve(named);
  if (path === '/') throw refuse('it is every file. Name the directories that the server needs.');
  return { path, isWritable: mode === 'rw' };
}

/** Hosts in the words of sandbox-runtime, which knows neither methods nor schemes. */
function domainsOf(id: string, { hosts = [] }: Confinement): readonly string[] {
  return hosts.flatMap((text) => {
    const { methods, scheme, subdomains, host, port } = readHost(id, text);
    if (methods !== undefined) {
      throw wrong(id, 'hosts', text, 'methods cannot be confined. Remove them.');
    }
    const ports = port ?? (scheme === undefined ? [443, 80] : scheme === 'https' ? 443 : 80);
    return [ports].flat().map((one) => `${subdomains ? '*.' : ''}${host}:${one}`);
  });
}

function readHost(id: string, text: string): ReturnType<typeof parseNetwork> {
  try {
    return parseNetwork(text);
  } catch (error) {
    throw wrong(id, 'hosts', text, messageOf(error));
  }
}

/** The program's path. Throws if it is not installed, or lies where the server will not see it. */
function findProgram(
  id: string,
  { command, env }: CommandSpec,
  visible: readonly string[],
): string {
  const places = command.includes('/')
    ? [resolve(command)]
    : (env['PATH'] ?? '')
        .split(delimiter)
        .filter(isAbsolute)
        .map((one) => join(one, command));
  const found = places.filter((path) => existsSync(path) && statSync(path).isFile());
  if (found.length === 0) throw cannot(id, `there is no program ${command}. Install it`);
  const isSeen = (path: string): boolean =>
    visible.some((one) => path === one || path.startsWith(`${one}/`));
  const seen = found.find((path) => isSeen(path) && isSeen(realpathSync(path)));
  if (seen !== undefined) return seen;
  const hidden = realpathSync(found[0] ?? '');
  throw cannot(
    id,
    `its program ${hidden} is in a directory that it may not read. Add the directory to "confine": { "fs": […] }, for example ${JSON.stringify(dirname(hidden))}`,
  );
}

function topFiles(): readonly string[] {
  return readdirSync('/', { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [`/${entry.name}`] : [],
  );
}

function cannot(id: string, why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `${id} was not started: ${why}.`, {
    option: 'remotes',
  });
}

function wrong(id: string, key: string, text: string, why: string): BulkheadError {
  return new BulkheadError(
    'INVALID_OPTIONS',
    `${JSON.stringify(text.slice(0, 200))} in confine.${key} of the remote ${id} is not valid: ${why}`,
    { option: 'remotes' },
  );
}
