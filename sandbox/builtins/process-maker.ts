import { makeHrtime } from '../endowments/hrtime.js';
import type { Clock } from './clock.js';
import type { CompartmentGlobals } from './compartment-globals.js';
import { makeEnvironment } from './environment.js';
import { EventEmitter } from './events.js';
import { WORKING_DIRECTORY } from './path.js';

/** What a process has of the code that gets it. */
export interface ProcessParts {
  /** A global of its compartment, read at the time of use. */
  readonly global: <Name extends keyof CompartmentGlobals>(
    name: Name,
  ) => CompartmentGlobals[Name] | undefined;
  /** The names of its granted variables. */
  readonly variables: () => readonly string[];
  /** Its clock. Throws the denial if it has none. */
  readonly clock: () => Clock;
  /** The denial for the use of a member. */
  readonly refusal: (name: string) => Error;
}

/**
 * `process` for a plugin: not a real process, and it cannot be ended or signalled. Missing members
 * are `undefined`, because packages read them to detect the platform. All packages share this function, and each has
 * a process of its own.
 */
export function makeProcess({ global, variables, clock, refusal }: ProcessParts): object {
  const stream = (level: 'log' | 'error', fd: number): object =>
    Object.assign(new EventEmitter(), {
      fd,
      isTTY: false,
      writable: true,
      write: (text: unknown): boolean => {
        global('console')?.[level](String(text).replace(/\n$/, ''));
        return true;
      },
    });
  const refused = (name: string) => (): never => {
    throw refusal(name);
  };
  return Object.assign(Object.create(EventEmitter.prototype), {
    title: 'plugin',
    // Packages read these to distinguish Node from a browser, and must not detect Node.
    browser: true,
    version: '',
    versions: {},
    release: {},
    arch: 'x64',
    platform: 'linux',
    pid: 1,
    ppid: 0,
    argv: ['node', `${WORKING_DIRECTORY}/plugin`],
    argv0: 'node',
    execArgv: [],
    execPath: '/usr/bin/node',
    exitCode: undefined,
    features: {},
    config: {},
    env: makeEnvironment({ env: () => global('env'), variables }),
    stdout: stream('log', 1),
    stderr: stream('error', 2),
    stdin: Object.assign(new EventEmitter(), { fd: 0, isTTY: false, readable: false }),
    cwd: (): string => WORKING_DIRECTORY,
    umask: (): number => 0o22,
    uptime: (): number => 0,
    // The plugin's own clock. Throws without the time permission.
    hrtime: makeHrtime(() => clock().now()),
    memoryUsage: Object.assign(
      () => ({ rss: 0, heapTotal: 0, heapUsed: 0, external: 0, arrayBuffers: 0 }),
      { rss: (): number => 0 },
    ),
    // What the guest uses is not the plugin's to know: it would be a clock.
    cpuUsage: () => ({ user: 0, system: 0 }),
    resourceUsage: () => ({ userCPUTime: 0, systemCPUTime: 0, maxRSS: 0 }),
    constrainedMemory: (): number => 0,
    availableMemory: (): number => 0,
    getActiveResourcesInfo: (): string[] => [],
    nextTick: (callback: (...args: unknown[]) => void, ...args: unknown[]): void => {
      const queue = global('queueMicrotask');
      if (queue === undefined) throw new ReferenceError('queueMicrotask is not defined');
      queue(() => callback(...args));
    },
    emitWarning: (warning: unknown): void => global('console')?.warn(String(warning)),
    abort: refused('abort'),
    binding: refused('binding'),
    chdir: refused('chdir'),
    exit: refused('exit'),
    kill: refused('kill'),
  });
}
