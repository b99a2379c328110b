import { accessSync, constants } from 'node:fs';
import type { Machine } from './command.js';

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
