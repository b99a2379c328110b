import { isRecord } from '../../../sandbox/wire/json.js';
import { type ChildProcess, spawn } from 'node:child_process';
import { realpathSync, statSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { BulkheadError } from '../../errors.js';
import { readTreeUse } from '../../processor.js';
import type { Bundle } from '../plugin.js';
import { type BundlerProgram, bundlerProgram } from './bundler-program.js';
import { type Built, parseProblems } from './parse-built.js';
import { type FormerTexts, makeFormerTexts } from './former-texts.js';
import { absoluteOf, findHoisted } from './hoisted.js';
import { bundleFailed } from './problems.js';
import { BUNDLE_LIMITS, type BundleSpec } from './spec.js';

/** Milliseconds after which an idle bundler process is killed. */
const IDLE_MS = 10_000;

/**
 * The same for a plugin that is bundled again while its author works on it. To start a process takes several
 * times as long as to bundle a small plugin, and the process remembers the units that it built.
 */
export const AUTHOR_IDLE_MS = 600_000;

/**
 * Starts a bundler process for the plugin in the first of `directories`; the others are of packages
 * beside it. All are real paths. The process has an IPC channel with
 * advanced serialization, and inherits no stream: esbuild writes long traces when it crashes.
 */
export type StartBundler = (
  program: BundlerProgram,
  directories: readonly string[],
) => Promise<ChildProcess>;

/**
 * Bundles in separate processes, so that hostile sources cannot exhaust the host's memory, stack or
 * time. A process is killed at the deadline.
 */
export interface Bundler {
  /** Throws the errors of `buildBundle`. */
  build(spec: BundleSpec): Promise<Built>;
  /** Has a process for a plugin that was not bundled yet, so that the next build is fast. Errors are not reported. */
  prepare(spec: BundleSpec): void;
}

/** Milliseconds between two readings of a bundler's processor time. */
const METER_MS = 250;

/** A process bundles the entries of one directory, so that it never sees two plugins. */
interface Running {
  /** Of the directories that the process sees. */
  readonly identity: string;
  /** Of the first of them. */
  readonly plugin: string;
  readonly child: ChildProcess;
  isBusy: boolean;
  readonly former: FormerTexts;
  idleTimer?: NodeJS.Timeout;
}

/** A bundle that waits for a process. */
interface Waiting {
  readonly spec: BundleSpec;
  readonly identity: string;
  readonly resolve: (built: Promise<Built>) => void;
}

export interface BundlerOptions {
  readonly start?: StartBundler;
  /** Names the plugin in a directory: a process bundles for one name. Default: a name for each directory. */
  readonly identify?: (directory: string) => string;
  /** Milliseconds after which an idle process is killed. Default: 10,000. */
  readonly idleMs?: number;
  /** Processes at once. Default: one for each processor and for each 4 GiB of memory, and at most four. */
  readonly processes?: number;
}

/** To start a process takes longer than to bundle a small plugin, and uses one processor. */
const MAX_PROCESSES = 4;
/** What the walls allow to each. */
const PROCESS_BYTES = 4 * 1024 ** 3;

function defaultProcesses(): number {
  const fitting = Math.floor(totalmem() / PROCESS_BYTES);
  return Math.max(1, Math.min(MAX_PROCESSES, availableParallelism(), fitting));
}

/** Builds the bundles of one plugin one after another, and those of several plugins side by side. */
export function makeBundler(options: BundlerOptions = {}): Bundler {
  const {
    start = startWithoutWalls,
    identify = identityOf,
    processes = defaultProcesses(),
    idleMs = IDLE_MS,
  } = options;
  const running = new Set<Running>();
  const queue: Waiting[] = [];
  /** Plugins whose bundle is being built. Each has one process. */
  const building = new Set<string>();

  const stop = (bundler: Running): void => {
    clearTimeout(bundler.idleTimer);
    running.delete(bundler);
    bundler.child.kill('SIGKILL');
  };

  const processFor = async (directory: string): Promise<Running> => {
    const hoisted = findHoisted(directory);
    const directories = [
      directory,
      ...hoisted.map((name) => absoluteOf(directory, hoisted, `node_modules/${name}`)),
    ];
    const identity = directories.map(identify).join('\n');
    const idle = [...running].filter(({ isBusy }) => !isBusy);
    // guard: bundler-sees-one-plugin
    const known = idle.find((bundler) => bundler.identity === identity);
    if (known !== undefined) {
      clearTimeout(known.idleTimer);
      known.isBusy = true;
      return known;
    }
    const surplus = Math.max(0, idle.length + building.size - processes);
    for (const bundler of idle.slice(0, surplus)) stop(bundler);
    const child = await start(bundlerProgram(), directories);
    const bundler: Running = {
      identity,
      plugin: identify(directory),
      child,
      isBusy: true,
      former: makeFormerTexts(),
    };
    running.add(bundler);
    child.once('exit', () => running.delete(bundler));
    return bundler;
  };

  const buildNow = async (spec: BundleSpec): Promise<Built> => {
    const directory = realDirectory(spec.directory);
    const bundler = await processFor(directory);
    const { child } = bundler;
    child.ref();
    child.channel?.ref();
    try {
      return await request(bundler, { ...spec, directory }, () => stop(bundler));
    } finally {
      child.unref();
      child.channel?.unref();
      bundler.isBusy = false;
      if (running.has(bundler)) {
        bundler.idleTimer = setTimeout(() => stop(bundler), idleMs);
        bundler.idleTimer.unref();
      }
    }
  };

  const startNext = (): void => {
    while (building.size < processes) {
      const next = queue.findIndex(({ identity }) => !building.has(identity));
      const [waiting] = next === -1 ? [] : queue.splice(next, 1);
      if (waiting === undefined) return;
      const { spec, identity, resolve } = waiting;
      building.add(identity);
      resolve(
        buildNow(spec).finally(() => {
          building.delete(identity);
          startNext();
        }),
      );
    }
  };

  const build = async (spec: BundleSpec): Promise<Built> => {
    const identity = identify(realDirectory(spec.directory));
    return new Promise((resolve) => {
      queue.push({ spec, identity, resolve });
      startNext();
    });
  };

  return {
    build,
    prepare: (spec) => {
      const directory = realDirectory(spec.directory);
      const own = identify(directory);
      const isKnown = building.has(own) || [...running].some(({ plugin }) => plugin === own);
      if (!isKnown) void build(spec).catch(() => {});
    },
  };
}

function realDirectory(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    throw new BulkheadError('PLUGIN_NOT_FOUND', `The directory ${directory} does not exist.`, {
      directory,
    });
  }
}

/**
 * Differs for a directory that replaced another one at its path: a process behind walls would still
 * see the old one. The time of birth is part of it, because file systems reuse inode numbers.
 */
function identityOf(directory: string): string {
  const { dev, ino, birthtimeNs } = statSync(directory, { bigint: true });
  return `${directory}:${dev}:${ino}:${birthtimeNs}`;
}

async function startWithoutWalls({ args }: BundlerProgram): Promise<ChildProcess> {
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    serialization: 'advanced',
  });
}

function request(running: Running, spec: BundleSpec, stop: () => void): Promise<Built> {
  const bundler = running.child;
  const { processorMs, deadlineMs } = { ...BUNDLE_LIMITS, ...spec.limits };
  const { pid = 0 } = bundler;
  const usedBefore = readTreeUse(pid) ?? 0;
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      clearInterval(meter);
      bundler.off('message', onMessage).off('exit', onExit).off('error', onError);
      finish();
    };
    const onMessage = (message: unknown): void =>
      settle(() => {
        const built = isRecord(message) ? running.former.read(spec, message['built']) : undefined;
        if (built !== undefined) resolve(built);
        else {
          const error = parseError(isRecord(message) ? message['error'] : undefined);
          // After an unknown error the bundler's state is undefined.
          if (error.code === undefined) stop();
          reject(error.value);
        }
      });
    const end = (error: BulkheadError): void =>
      settle(() => {
        stop();
        reject(error);
      });
    // Without memory or stack, V8 ends its process by a signal. A code is of the walls or of Node.
    const onExit = (code: number | null): void =>
      end(
        code === null
          ? abandoned('its process ended (out of memory or stack)')
          : abandoned(
              `its process exited with code ${code}`,
              'Run `bulkhead doctor`: it shows whether the walls of its process can be built here.',
            ),
      );
    const onError = ({ message }: Error): void =>
      end(abandoned(`its process failed: ${message}`, 'Check the limits on processes and memory.'));
    const timer = setTimeout(
      () => end(abandoned(`bundling took longer than ${deadlineMs} ms`)),
      deadlineMs,
    );
    // Where the system reports no processor time, the deadline alone counts.
    const meter = setInterval(() => {
      const used = (readTreeUse(pid) ?? 0) - usedBefore;
      // guard: bundler-processor-time
      if (used > processorMs) {
        end(abandoned(`bundling took more than ${processorMs} ms of processor time`));
      }
    }, METER_MS);
    bundler.on('message', onMessage).on('exit', onExit).on('error', onError);
    bundler.send(spec);
  });
}

function abandoned(
  why: string,
  remedy = 'Make its sources smaller or less deeply nested.',
): BulkheadError<'BUNDLE_FAILED'> {
  return bundleFailed([{ message: `The bundler stopped: ${why}`, remedy }]);
}

function parseError(error: unknown): {
  readonly code: string | undefined;
  readonly value: BulkheadError;
} {
  const { code, message, details } = isRecord(error) ? error : {};
  const text = typeof message === 'string' ? message : 'no reason given';
  const fields = isRecord(details) ? details : {};
  switch (code) {
    case 'BUNDLE_FAILED':
      return {
        code,
        value: new BulkheadError(code, text, { problems: parseProblems(fields['problems']) }),
      };
    case 'OUTSIDE_PLUGIN': {
      const [{ message: _, ...place } = { message: '' }] = parseProblems([
        { message: '', ...fields },
      ]);
      return {
        code,
        value: new BulkheadError(code, text, { path: String(fields['path']), ...place }),
      };
    }
    case 'PLUGIN_NOT_FOUND':
      return {
        code,
        value: new BulkheadError(code, text, { directory: String(fields['directory']) }),
      };
    default:
      return { code: undefined, value: abandoned(text) };
  }
}

/**
 * Bundles a plugin's entry and its imports into one text that runs under SES.
 *
 * `Bundle.code` is one expression: a function that evaluates the plugin's modules and returns the
 * entry's exports (a promise of them if a module awaits at its top level). It takes
 * `{ modules, importRefused }`: the modules that the guest provides under the specifiers of
 * `virtualModules`, and the replacement of `import()` with a computed specifier.
 *
 * Throws `BUNDLE_FAILED` with every problem's place and remedy, `OUTSIDE_PLUGIN` if a path leads out
 * of the directory, and `PLUGIN_NOT_FOUND` if the directory does not exist.
 */
export async function bundlePlugin(spec: BundleSpec, bundler: Bundler): Promise<Bundle> {
  const { bundle } = await bundler.build(spec);
  return bundle;
}
