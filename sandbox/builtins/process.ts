import { makeHrtime } from '../endowments/hrtime.js';
import { refusal } from './denied.js';
import { makeEnvironment } from './environment.js';
import { EventEmitter } from './events.js';
import { WORKING_DIRECTORY } from './path.js';
import { clock } from './perf-hooks.js';
import { always, compartmentGlobal } from './compartment-globals.js';

function write(level: 'log' | 'error'): (text: unknown) => boolean {
  return (text) => {
    compartmentGlobal('console')?.[level](String(text).replace(/\n$/, ''));
    return true;
  };
}

function stream(level: 'log' | 'error', fd: number): object {
  return Object.assign(new EventEmitter(), {
    fd,
    isTTY: false,
    writable: true,
    write: write(level),
  });
}

function refused(name: string): () => never {
  return () => {
    throw refusal('process', name);
  };
}

/**
 * `process` for a plugin: not a real process, and it cannot be ended or signalled. Missing members
 * are `undefined`, because packages read them to detect the platform.
 */
export const process: object = Object.assign(Object.create(EventEmitter.prototype), {
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
  env: makeEnvironment(),
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
    always('queueMicrotask')(() => callback(...args));
  },
  emitWarning: (warning: unknown): void => compartmentGlobal('console')?.warn(String(warning)),
  abort: refused('abort'),
  binding: refused('binding'),
  chdir: refused('chdir'),
  exit: refused('exit'),
  kill: refused('kill'),
});

export const builtin: object = process;
