import { type ChildProcess, spawn } from 'node:child_process';
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nameDescriptor } from '../../inherited-descriptors.js';
import { inspectMachine } from '../../guests/machine.js';
import { behindWalls, type WalledProgram } from '../../guests/walls/build.js';
import type { Machine } from '../../guests/walls/machine.js';
import type { UserRange } from '../../guests/walls/plan.js';
import {
  type Bundler,
  makeBundler,
  AUTHOR_IDLE_MS,
  type StartBundler,
} from '../../plugin/bundle/bundler.js';
import { BUNDLE_LIMITS } from '../../plugin/bundle/spec.js';
import { guestScripts } from './process-defaults.js';

const bundlers = new Map<string, Bundler>();
let forAuthor = false;

/**
 * For an author's plugins: the bundlers of engines that are opened from now on keep their processes for the next
 * change, and build the npm packages of a plugin only once. Returns the function that ends this.
 */
export function keepBundlers(): () => void {
  forAuthor = true;
  return () => {
    forAuthor = false;
  };
}

/** Whether plugins are bundled again and again, while their author works on them. */
export function bundlesForAuthor(): boolean {
  return forAuthor;
}

/**
 * The bundler of this process. Its processes have the walls of a guest, except that they may start
 * esbuild, and see the plugin's directory, its packages beside it and the bundler's code, all read-only. `users`: as
 * `walls.users`.
 */
export function walledBundler(users?: UserRange): Bundler {
  const key = JSON.stringify([users ?? null, forAuthor]);
  const kept = forAuthor ? { idleMs: AUTHOR_IDLE_MS } : {};
  const bundler = bundlers.get(key) ?? makeBundler({ start: startWalledBundler(users), ...kept });
  bundlers.set(key, bundler);
  return bundler;
}

/** The walls of a bundler process, as far as they do not depend on the plugin. */
export const BUNDLER_WALLS: Pick<WalledProgram, 'limits' | 'use' | 'confined'> = {
  limits: {
    // For each process. The heap of node has 2 GiB of it.
    dataBytes: 4 * 1024 ** 3,
    cpuSeconds: undefined,
    // Processes and threads: node has eleven, and esbuild some ten for each processor.
    processes: 512,
  },
  use: ['no-network'],
  confined: 'bundler',
};

/** Starts bundler processes behind walls: those of `machine`, by default what this machine has. */
export function startWalledBundler(users?: UserRange, machineHere?: Machine): StartBundler {
  return async ({ args, code }, directories): Promise<ChildProcess> => {
    const machine = machineHere ?? (await inspectMachine(guestScripts.confined(), users));
    const command = behindWalls(machine, {
      ...BUNDLER_WALLS,
      program: [machine.node, ...args, ...machine.inheritable.map(nameDescriptor)],
      visible: [...code, ...directories],
      // Another user cannot read files that are root's alone. Then it is root without privileges.
      hostUser:
        machine.plan.ownUser !== undefined &&
        !(await isReadableForAll([
          ...code.map(itself),
          ...directories.map((path) => ({ path, whole: true })),
        ])),
    });
    return spawn(command.file, command.args, {
      cwd: '/',
      env: command.env,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc', 'ignore', 'ignore', command.filter ?? 'ignore'],
      serialization: 'advanced',
    });
  };
}

interface Place {
  readonly path: string;
  /** Also everything below it. */
  readonly whole: boolean;
}

function itself(path: string): Place {
  return { path, whole: false };
}

const READ = 0o4;
const ENTER = 0o5;

/** Whether every user can read all of it. False if it is larger than a plugin may be. */
async function isReadableForAll(places: readonly Place[]): Promise<boolean> {
  const open = [...places];
  let looked = 0;
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { path, whole } = place;
    let entries: readonly Dirent[] = [];
    try {
      const stats = statSync(path);
      const wanted = stats.isDirectory() ? ENTER : READ;
      if ((stats.mode & wanted) !== wanted) return false;
      if (!whole || !stats.isDirectory()) continue;
      entries = readdirSync(path, { withFileTypes: true });
    } catch {
      return false;
    }
    looked += entries.length;
    if (looked > BUNDLE_LIMITS.maxLookups) return false;
    // What a link leads to is in the directory, and looked at there, or outside and refused.
    for (const entry of entries) {
      if (!entry.isSymbolicLink()) open.push({ path: join(path, entry.name), whole });
    }
    // Other work of the host goes on between two directories.
    await new Promise(setImmediate);
  }
  return true;
}
