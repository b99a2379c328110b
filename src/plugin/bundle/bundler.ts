import { fork, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { BulkheadError } from '../../errors.js';
import { parseBuilt, parseProblems, type Built } from './parse-built.js';
import { bundleFailed } from './problems.js';
import { isObject } from './resolve/package.js';
import { BUNDLE_LIMITS, type BundleSpec } from './spec.js';

const entry = createRequire(import.meta.url).resolve('#bundler/bundler-entry.js');

/** How long a process that has nothing to do is kept: the next bundle saves its start. */
const IDLE_MS = 10_000;

let running: ChildProcess | undefined;
let idleTimer: NodeJS.Timeout | undefined;
/** Bundles are made one at a time: esbuild uses every core by itself. */
let queue: Promise<unknown> = Promise.resolve();

/**
 * Bundles in a process of its own, where hostile sources can use up the memory, the stack and the
 * time that they like: it is killed at the deadline, and a new one serves the next plugin. Throws
 * what `buildBundle` throws.
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
    return await ask(bundler, spec);
  } finally {
    bundler.unref();
    bundler.channel?.unref();
    idleTimer = setTimeout(() => stop(bundler), IDLE_MS);
    idleTimer.unref();
  }
}

function start(): ChildProcess {
  return fork(entry, [], {
    // esbuild writes pages to stderr when it dies, and nothing of the host's is to be inherited.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {},
    serialization: 'advanced',
    // Deep trees are parsed by recursion; the stack that the system gives has room for this.
    execArgv: ['--max-old-space-size=2048', '--max-semi-space-size=64', '--stack-size=3900'],
  });
}

function stop(bundler: ChildProcess): void {
  if (running === bundler) running = undefined;
  bundler.kill('SIGKILL');
}

function ask(bundler: ChildProcess, spec: BundleSpec): Promise<Built> {
  const deadlineMs = spec.limits?.deadlineMs ?? BUNDLE_LIMITS.deadlineMs;
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      bundler.off('message', onMessage).off('exit', onExit).off('error', onExit);
      finish();
    };
    const onMessage = (message: unknown): void =>
      settle(() => {
        const built = isObject(message) ? parseBuilt(message['built']) : undefined;
        if (built !== undefined) resolve(built);
        else {
          const error = parseError(isObject(message) ? message['error'] : undefined);
          // A bundler that failed in a way that nobody foresaw may be left in any state.
          if (error.code === undefined) stop(bundler);
          reject(error.value);
        }
      });
    const onExit = (): void =>
      settle(() => {
        stop(bundler);
        reject(givenUp('the bundler ran out of memory or stack on it'));
      });
    const timer = setTimeout(
      () =>
        settle(() => {
          stop(bundler);
          reject(givenUp(`bundling it took longer than ${deadlineMs} ms`));
        }),
      deadlineMs,
    );
    bundler.on('message', onMessage).on('exit', onExit).on('error', onExit);
    bundler.send(spec);
  });
}

function givenUp(why: string): BulkheadError<'BUNDLE_FAILED'> {
  return bundleFailed([
    {
      message: `The plugin was given up: ${why}`,
      remedy: 'Make its sources smaller or less deeply nested.',
    },
  ]);
}

function parseError(error: unknown): {
  readonly code: string | undefined;
  readonly value: BulkheadError;
} {
  const { code, message, details } = isObject(error) ? error : {};
  const text = typeof message === 'string' ? message : 'no reason given';
  const fields = isObject(details) ? details : {};
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
      return { code: undefined, value: givenUp(text) };
  }
}
