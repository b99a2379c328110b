import { readFileSync } from 'node:fs';
import type { Engine } from '../src/index.js';
import { type Floor, startFloor } from './floor.js';
import { fib, floors } from './plugins/echo/src/compute.js';
import { measureHooks } from './hooks.js';
import { measureCatalog, measureStarts as measureInstalled } from './installed.js';
import { measureSharedMemory } from './shared.js';
import { measureStarts } from './starts.js';
import { measureStreams } from './streams.js';
import { median, quantile, rate, time } from './statistics.js';
import {
  BIG,
  call,
  type Effort,
  inMicroseconds,
  type Measure,
  ratioOf,
  SMALL,
  startEngine,
} from './subject.js';

/** Rounds in which ours and the floor take turns, so that noise of the machine hits both. */
const ROUNDS = 5;

export async function measureAll(effort: Effort): Promise<readonly Measure[]> {
  const engine = await startEngine(1);
  const floor = startFloor();
  try {
    return [
      ...(await measureCalls(engine, floor, effort)),
      ...(await measureStarts(effort)),
      await measureMemory(floor),
      await measureSharedMemory(),
      ...(await measureCompute(engine)),
      ...(await measureKill(engine)),
      await measureStreams(),
      ...(await measureInstalled()),
      ...(await measureCatalog()),
      ...(await measureHooks()),
    ];
  } finally {
    floor.close();
    await engine.close();
  }
}

async function measureCalls(engine: Engine, floor: Floor, { calls }: Effort): Promise<Measure[]> {
  const ours = () => call(engine, 'echo', SMALL);
  const oursBig = () => call(engine, 'echo', BIG);
  const bare = () => floor.call(SMALL);
  const bareBig = () => floor.call(BIG);
  await time(calls, ours);
  await time(calls, bare);

  const samples = {
    ours: [] as number[],
    bare: [] as number[],
    oursBig: [] as number[],
    bareBig: [] as number[],
  };
  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    samples.bare.push(...(await time(calls, bare)));
    samples.ours.push(...(await time(calls, ours)));
    samples.bareBig.push(...(await time(calls / 20, bareBig)));
    samples.oursBig.push(...(await time(calls / 20, oursBig)));
    rates.bare.push(await rate(calls * 10, 100, bare));
    rates.ours.push(await rate(calls * 10, 100, ours));
  }
  const small = ratioOf(median(samples.ours), median(samples.bare));
  const p99 = ratioOf(quantile(samples.ours, 0.99), quantile(samples.bare, 0.99));
  const big = ratioOf(median(samples.oursBig), median(samples.bareBig));
  const piped = ratioOf(median(rates.ours), median(rates.bare));
  return [
    {
      work: 'small, sequential, p50',
      unit: 'µs',
      ...inMicroseconds(small),
      goal: '≤ 1.6 × floor',
      met: small.ratio <= 1.6,
    },
    { work: 'small, sequential, p99', unit: 'µs', ...inMicroseconds(p99), goal: '–', met: true },
    {
      work: 'big, sequential, p50',
      unit: 'µs',
      ...inMicroseconds(big),
      goal: '≤ 1.3 × floor',
      met: big.ratio <= 1.3,
    },
    {
      work: 'small, 100 in flight',
      unit: 'calls/s',
      ...piped,
      goal: '≥ 0.5 × floor',
      met: piped.ratio >= 0.5,
    },
  ];
}

async function measureMemory(floor: Floor): Promise<Measure> {
  const engine = await startEngine(0);
  let pid = 0;
  engine.on((event) => {
    if (event.type === 'guest-started') pid = event.pid;
  });
  await call(engine, 'echo', SMALL);
  const ours = privateDirtyKb(pid);
  await engine.close();
  return {
    work: 'memory of one more plugin (Private_Dirty)',
    unit: 'kB',
    ours,
    floor: privateDirtyKb(floor.pid),
    goal: '≤ 14 MB',
    met: ours <= 14 * 1024,
  };
}

function privateDirtyKb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/Private_Dirty:\s+(\d+)/.exec(text)?.[1]);
}

/** Times that the work is done in one sample: what is measured is the work, and not the noise. */
const TIMES = 10;

async function measureCompute(engine: Engine): Promise<Measure[]> {
  const works = { fib: () => fib(27), floors };
  const measures: Measure[] = [];
  for (const [work, once] of Object.entries(works)) {
    const inside = (times: number) => () => call(engine, 'compute', { work, times });
    const plain = (): void => {
      for (let n = 0; n < TIMES; n += 1) once();
    };
    const samples = { one: [] as number[], more: [] as number[], plain: [] as number[] };
    for (let round = 0; round < 40; round += 1) {
      samples.plain.push(...(await time(1, plain)));
      samples.one.push(...(await time(1, inside(1))));
      samples.more.push(...(await time(1, inside(1 + TIMES))));
    }
    // The difference is the work alone: a call that takes a while has its own time to come back.
    const ours = Math.max(0, median(samples.more) - median(samples.one)) / TIMES;
    const floor = median(samples.plain) / TIMES;
    measures.push({
      work: work === 'fib' ? 'compute: fib(27)' : 'compute: 10⁶ × Math.floor',
      unit: 'ms',
      ...ratioOf(ours, floor),
      goal: '≤ 1.05 × plain',
      met: ours <= 1.05 * floor,
    });
  }
  return measures;
}

async function measureKill(engine: Engine): Promise<Measure[]> {
  const deadlineMs = 100;
  const errors: number[] = [];
  const nexts: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    // Long enough for the pool to have a guest again.
    await new Promise((resolve) => setTimeout(resolve, 400));
    const began = performance.now();
    await call(engine, 'loop', {}, deadlineMs);
    errors.push(performance.now() - began - deadlineMs);
    await new Promise((resolve) => setTimeout(resolve, 150));
    const again = performance.now();
    await call(engine, 'echo', SMALL);
    nexts.push(performance.now() - again);
  }
  return [
    {
      work: 'kill: from the deadline to the error',
      unit: 'ms',
      ours: median(errors),
      goal: '≤ 150 ms',
      met: median(errors) <= 150,
    },
    {
      work: 'kill: the next call of that plugin',
      unit: 'ms',
      ours: median(nexts),
      goal: '≤ 20 ms',
      met: median(nexts) <= 20,
    },
  ];
}
