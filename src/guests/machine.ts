import { accessSync, constants, fstatSync, readdirSync, readFileSync } from 'node:fs';
import type { Descriptor, Machine } from './command.js';

/** Flags that a guest is started with where this Node knows them, and what each is for. */
const WANTED_FLAGS = [
  // No native code: add-ons are machine code that no compartment holds.
  '--no-addons',
  '--no-deprecation',
  '--no-warnings',
  // SIGUSR1 would open the inspector.
  '--disable-sigusr1',
  '--no-experimental-websocket',
  '--no-experimental-global-navigator',
];

/** Finds out what this machine can put round a guest. */
export function inspectMachine(): Machine {
  const linux = process.platform === 'linux';
  const known = process.allowedNodeEnvironmentFlags;
  return {
    node: process.execPath,
    nodeMajor: Number(process.versions.node.split('.')[0]),
    permissionFlag: ['--permission', '--experimental-permission'].find((flag) => known.has(flag)),
    flags: WANTED_FLAGS.filter((flag) => known.has(flag)),
    shell: linux ? findProgram(['/bin/sh', '/usr/bin/sh']) : undefined,
    setpriv: linux ? findProgram(['/usr/bin/setpriv', '/bin/setpriv']) : undefined,
    inheritable: linux ? inheritableDescriptors() : [],
  };
}

function findProgram(paths: readonly string[]): string | undefined {
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

const STANDARD = 3;
const CLOSE_ON_EXEC = 0o2000000;

/**
 * What this process was itself given open by whoever started it, and what would go on to every
 * program that it starts: Node closes what it opens, and the first few of those that it was given.
 */
function inheritableDescriptors(): Descriptor[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((number) => number >= STANDARD)
      .flatMap(readInheritable);
  } catch {
    return [];
  }
}

function readInheritable(number: number): Descriptor[] {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${number}`, 'utf8');
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '', 8);
    if ((flags & CLOSE_ON_EXEC) !== 0) return [];
    const { dev, ino } = fstatSync(number);
    return [{ number, dev, ino }];
  } catch {
    // Closed since: the one that listed the others.
    return [];
  }
}
