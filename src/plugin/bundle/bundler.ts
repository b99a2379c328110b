import { isRecord } from '../../../sandbox/wire/json.js';
import { type ChildProcess, fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { BulkheadError } from '../../errors.js';
import type { Bundle } from '../plugin.js';
import { type Built, parseBuilt, parseProblems } from './parse-built.js';
import { bundleFailed } from './problems.js';
import { BUNDLE_LIMITS, type BundleSpec } from './spec.js';

const entry = createRequire(import.meta.url).resolve('#bundler');

/** Milliseconds after which an idle bundler process is killed. */
const IDLE_MS = 10_000;

let running: ChildProcess | undefined;
let idleTimer: NodeJS.Timeout | undefined;
/** Bundles are built one at a time, because esbuild uses every core. */
let queue: Promise<unknown> = Promise.resolve();

/**
 * Bundles in a separate process, so that hostile sources cannot exhaust the host's memory, stack or
 * time. The process is killed at the deadline, and a new one serves the next plugin. Throws the
 * errors of `buildBundle`.
 */
export async function buildApart(spec: BundleSpec): Promise<Built> {
  const turn = queue.then(() => buildNow(spec));
  queue = turn.catch(() => undefined);
  return turn;
}

async function buildNow(spec: BundleSpec): Promise<Built> {
  clearTimeout(idleTimer);
  const bundler = (running ??= start());
  bundler.ref();
  bundler.channel?.ref();
  try {
    return await request(bundler, spec);
  } finally {
    bundler.unref();
    bundler.channel?.unref();
    idleTimer = setTimeout(() => stop(bundler), IDLE_MS);
    idleTimer.unref();
  }
}

function start(): ChildProcess {
  return fork(entry, [], {
    // esbuild writes long traces to stderr when it crashes. The bundler inherits nothing.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    serialization: 'advanced',
    // Deep trees are parsed by recursion. The system's default stack is larger than this size.
    execArgv: ['--max-old-space-size=2048', '--max-semi-space-size=64', '--stack-size=3900'],
  });
}

function stop(bundler: ChildProcess): void {
  if (running === bundler) running = undefined;
  bundler.kill('SIGKILL');
}

function request(bundler: ChildProcess, spec: BundleSpec): Promise<Built> {
  const deadlineMs = spec.limits?.deadlineMs ?? BUNDLE_LIMITS.deadlineMs;
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      bundler.off('message', onMessage).off('exit', onExit).off('error', onExit);
      finish();
    };
    const onMessage = (message: unknown): void =>
      settle(() => {
        const built = isRecord(message) ? parseBuilt(message['built']) : undefined;
        if (built !== undefined) resolve(built);
        else {
          const error = parseError(isRecord(message) ? message['error'] : undefined);
          // After an unknown error the bundler's state is undefined.
          if (error.code === undefined) stop(bundler);
          reject(error.value);
        }
      });
    const onExit = (): void =>
      settle(() => {
        stop(bundler);
        reject(abandoned('the bundler process exited (out of memory or stack)'));
      });
    const timer = setTimeout(
      () =>
        settle(() => {
          stop(bundler);
          reject(abandoned(`bundling took longer than ${deadlineMs} ms`));
        }),
      deadlineMs,
    );
    bundler.on('message', onMessage).on('exit', onExit).on('error', onExit);
    bundler.send(spec);
  });
}

function abandoned(why: string): BulkheadError<'BUNDLE_FAILED'> {
  return bundleFailed([
    {
      message: `The bundler stopped: ${why}`,
      remedy: 'Make its sources smaller or less deeply nested.',
    },
  ]);
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
export async function bundlePlugin(spec: BundleSpec): Promise<Bundle> {
  const { bundle } = await buildApart(spec);
  return bundle;
}
