import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inheritableDescriptors } from '../inherited-descriptors.js';
import type { Machine } from './walls/machine.js';
import { findWalls } from './walls/find.js';
import { LANDLOCK_VERSION } from './walls/launcher.js';
import { findLibraries, outputOf } from './walls/libraries.js';
import { NO_WALLS, type UserRange } from './walls/plan.js';
import { seccompFilter } from './walls/seccomp.js';
import { type Architecture, isArchitecture } from './walls/system-calls.js';
import { findUserRange, readUserFiles } from './walls/users.js';

/** Flags for a guest, used if this Node knows them. */
const WANTED_FLAGS = [
  // No native code: a compartment does not confine add-ons.
  '--no-addons',
  '--no-deprecation',
  '--no-warnings',
  // SIGUSR1 would open the inspector.
  '--disable-sigusr1',
  '--no-experimental-websocket',
  '--no-experimental-global-navigator',
];

const inspected = new Map<string, Promise<Machine>>();

/**
 * Finds what this machine has to confine a guest. Cached for the life of this process. `users`: the user
 * ids for guests of a host that runs as root. Default: a range that no user has.
 */
export function inspectMachine(script: string, users?: UserRange): Promise<Machine> {
  const key = JSON.stringify([script, users]);
  const known = inspected.get(key) ?? inspect(script, users);
  inspected.set(key, known);
  return known;
}

async function inspect(script: string, users: UserRange | undefined): Promise<Machine> {
  const linux = process.platform === 'linux';
  const known = process.allowedNodeEnvironmentFlags;
  const find = (name: string): string | undefined => (linux ? findProgram(name) : undefined);
  const tools = {
    perl: find('perl'),
    bwrap: find('bwrap'),
    unshare: find('unshare'),
    setpriv: find('setpriv'),
    shell: find('sh'),
  };
  const architecture = linux && isArchitecture(process.arch) ? process.arch : undefined;
  const [libraries, landlock] = await Promise.all([
    linux ? findLibraries(process.execPath) : [],
    tools.perl === undefined ? '' : outputOf(tools.perl, ['-e', LANDLOCK_VERSION]),
  ]);
  const superuser = process.geteuid?.() === 0;
  const nodeMajor = Number(process.versions.node.split('.')[0]);
  const machine: Machine = {
    node: process.execPath,
    nodeMajor,
    permissionFlag: ['--permission', '--experimental-permission'].find((flag) => known.has(flag)),
    // Node 26 refuses to open a pipe without it, and can drop it.
    droppedFlags: nodeMajor >= 26 && known.has('--allow-net') ? ['--allow-net'] : [],
    flags: WANTED_FLAGS.filter((flag) => known.has(flag)),
    architecture,
    superuser,
    tools,
    inheritable: linux ? inheritableDescriptors() : [],
    libraries,
    loaderFiles: LOADER_FILES.filter((path) => existsSync(path)),
    countsPerNamespace: isAtLeast(release(), 5, 14),
    filters:
      architecture !== undefined && tools.bwrap !== undefined
        ? openFilters(architecture)
        : undefined,
    plan: NO_WALLS,
  };
  const plan = linux
    ? await findWalls({
        machine,
        users: superuser ? findUserRange(users, readUserFiles()) : undefined,
        landlock: Math.min(Number(landlock) || 0, LANDLOCK_KNOWN),
        readable: [script],
      })
    : NO_WALLS;
  return { ...machine, plan };
}

/** What the loader reads where a guest has no root of its own. */
const LOADER_FILES = ['/etc/ld.so.cache', '/etc/ld-musl-x86_64.path', '/etc/ld-musl-aarch64.path'];

/** Later versions of Landlock add rights that the launcher does not know. */
const LANDLOCK_KNOWN = 6;

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [here = 0, below = 0] = version.split('.').map(Number);
  return here > major || (here === major && below >= minor);
}

/** Writes the filters to files without a name. Programs read them at a descriptor. */
function openFilters(architecture: Architecture): Machine['filters'] {
  try {
    return {
      guest: openNameless(seccompFilter(architecture, 'guest', SECOND)),
      bundler: openNameless(seccompFilter(architecture, 'bundler', SECOND)),
    };
  } catch {
    return undefined;
  }
}

/** The number of a guest in its own PID namespace: the first process is the one that waits for it. */
const SECOND = 2;

function openNameless(bytes: Buffer): number {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-'));
  const path = join(directory, 'filter');
  try {
    // A program with another user opens it again at its descriptor.
    writeFileSync(path, bytes, { mode: 0o444 });
    return openSync(path, 'r');
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** The path of a program of the system; `undefined` if it is not installed. */
export function findProgram(name: string): string | undefined {
  return [`/usr/bin/${name}`, `/bin/${name}`, `/run/current-system/sw/bin/${name}`].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
