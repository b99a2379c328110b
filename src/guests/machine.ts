import { accessSync, constants } from 'node:fs';
import type { Machine } from './command.js';
import { inheritableDescriptors } from './inheritable.js';
import { findIsolation, NO_ISOLATION } from './isolation.js';

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

const inspected = new Map<string, Promise<Machine>>();

/** Finds out, once in the life of this process, what this machine can put round a guest. */
export function inspectMachine(script: string): Promise<Machine> {
  const known = inspected.get(script) ?? inspect(script);
  inspected.set(script, known);
  return known;
}

async function inspect(script: string): Promise<Machine> {
  const linux = process.platform === 'linux';
  const known = process.allowedNodeEnvironmentFlags;
  const find = (name: string): string | undefined => (linux ? findProgram(name) : undefined);
  const shell = find('sh');
  const setpriv = find('setpriv');
  return {
    node: process.execPath,
    nodeMajor: Number(process.versions.node.split('.')[0]),
    permissionFlag: ['--permission', '--experimental-permission'].find((flag) => known.has(flag)),
    flags: WANTED_FLAGS.filter((flag) => known.has(flag)),
    shell,
    setpriv,
    inheritable: linux ? inheritableDescriptors() : [],
    isolation:
      shell === undefined
        ? NO_ISOLATION
        : await findIsolation({
            shell,
            unshare: find('unshare'),
            bwrap: find('bwrap'),
            setpriv,
            superuser: process.geteuid?.() === 0,
            readable: [script, process.execPath],
          }),
  };
}

function findProgram(name: string): string | undefined {
  return [`/usr/bin/${name}`, `/bin/${name}`, `/run/current-system/sw/bin/${name}`].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
