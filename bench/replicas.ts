import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Engine } from '../src/index.js';
import type { Effort, Measure } from './measure.js';
import { inTurns, quantile } from './statistics.js';
import { call, startEngine } from './subject.js';

/** One call: `fib(27)` so often. Long enough that the call itself does not count. */
const TIMES = 10;

/** Calls in one sample, and how many of them run at once. */
const CALLS = 24;
const WIDTH = 4;

const SAMPLES = 12;

/**
 * A compute-heavy plugin with one guest and with two, and the same work in one and in two plain
 * processes: what a second processor brings on this machine.
 */
export async function measureReplicas({ share }: Effort): Promise<Measure[]> {
  const single = await startEngine(1);
  const double = await startEngine(1, { replicas: { echo: { max: 2 } } });
  const children = await Promise.all([startChild(), startChild()]);
  try {
    await growTo(double, 2);
    const guestsOf = (engine: Engine) => () =>
      timeCalls(WIDTH, () => call(engine, 'compute', { work: 'fib', times: TIMES }));
    const processes = (count: number) => () =>
      timeCalls(count, (worker) => ask(children[worker % count]));
    await guestsOf(single)();
    await guestsOf(double)();
    await processes(2)();
    const samples = await inTurns(SAMPLES, {
      oneGuest: guestsOf(single),
      twoGuests: guestsOf(double),
      oneProcess: processes(1),
      twoProcesses: processes(2),
    });
    const rate = (times: readonly number[]): number => (CALLS * 1_000) / quantile(times, share);
    const [one, two] = [rate(samples.oneGuest), rate(samples.twoGuests)];
    const [plain, both] = [rate(samples.oneProcess), rate(samples.twoProcesses)];
    return [
      {
        work: 'compute: two plain processes, in relation to one',
        unit: 'calls/s',
        ours: both,
        floor: plain,
        ratio: both / plain,
      },
      {
        work: 'compute: two guests of a plugin, in relation to one',
        unit: 'calls/s',
        ours: two,
        floor: one,
        ratio: two / one,
        goal: '≥ 1.8 × one guest',
        met: two >= 1.8 * one,
      },
    ];
  } finally {
    for (const child of children) child.kill();
    await Promise.all([single.close(), double.close()]);
  }
}

/** Calls until the plugin has so many guests. A guest is added while calls find each guest busy. */
async function growTo(engine: Engine, guests: number): Promise<void> {
  const started: string[] = [];
  const off = engine.on(({ type }) => {
    if (type === 'plugin-loaded') started.push(type);
  });
  while (started.length < guests) {
    await timeCalls(WIDTH, () => call(engine, 'compute', { work: 'fib', times: 1 }));
  }
  off();
}

/** One sample: milliseconds for all calls, `width` at once. */
async function timeCalls(
  width: number,
  run: (worker: number) => Promise<unknown>,
): Promise<readonly number[]> {
  let left = CALLS;
  const began = performance.now();
  const worker = async (number: number): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await run(number);
    }
  };
  await Promise.all(Array.from({ length: width }, (_, number) => worker(number)));
  return [performance.now() - began];
}

async function startChild(): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('compute-child.mjs', import.meta.url)), {
    execArgv: [],
  });
  await once(child, 'spawn');
  return child;
}

async function ask(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined) throw new Error('there is no such process');
  const answered = once(child, 'message');
  child.send({ n: 27, times: TIMES });
  await answered;
}
