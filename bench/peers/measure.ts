import type { Effort } from '../measure.js';
import { collectGarbage, privateDirtyKb } from '../memory.js';
import { fib, floors } from '../plugins/echo/src/compute.js';
import { inTurns, median, quantile, time, timeInFlight } from '../statistics.js';
import { BIG, SMALL } from '../subject.js';
import type { Figures } from './comparison.js';
import type { OpenPeer, Peer } from './peer.js';

const STARTS = 5;
const IN_FLIGHT = 100;
/** As many as are opened to see what one adds to this process. */
const SIDE_BY_SIDE = 16;
/** Times that a computation is done in one sample, and samples of it. */
const COMPUTED = 3;
const COMPUTE_ROUNDS = 7;

/**
 * Measures peers on this Node, in turns: what slows the machine down for a while hits all of them.
 * All of them have to answer.
 */
export async function measurePeers(
  peers: readonly Peer[],
  effort: Effort,
): Promise<readonly Figures[]> {
  const memory: (number | undefined)[] = [];
  for (const peer of peers) memory.push(await measureMemory(peer));
  const cold = await takeTurns(peers, STARTS, async (peer) => [await timeFirst(peer)]);
  const opened = await Promise.all(peers.map((peer) => peer.open('echo')));
  const calls = await measureCalls(opened, effort);
  for (const each of opened) await each.close();
  const fibs = await measureCompute(peers, 'fib');
  const sums = await measureCompute(peers, 'floors');

  return peers.map((_peer, index): Figures => {
    const memoryKb = memory[index];
    const of = (all: readonly (readonly number[])[]): readonly number[] => all[index] ?? [];
    return {
      coldMs: median(of(cold)),
      smallMicros: median(of(calls.small)) * 1000,
      smallP99Micros: quantile(of(calls.small), 0.99) * 1000,
      bigMicros: median(of(calls.big)) * 1000,
      perSecond: 1000 / median(of(calls.flight)),
      ...(memoryKb !== undefined && { memoryKb }),
      fibTimes: fibs[index] ?? Number.NaN,
      floorsTimes: sums[index] ?? Number.NaN,
    };
  });
}

async function measureCalls(
  opened: readonly OpenPeer[],
  { calls, rounds }: Effort,
): Promise<Record<'small' | 'big' | 'flight', number[][]>> {
  const small = (peer: OpenPeer): Promise<unknown> => peer.call(SMALL);
  for (const peer of opened) {
    await time(calls, () => small(peer));
    await time(calls / 30, () => peer.call(BIG));
  }
  return {
    small: await takeTurns(opened, rounds, (peer) => time(calls, () => small(peer))),
    big: await takeTurns(opened, rounds, (peer) => time(calls / 20, () => peer.call(BIG))),
    flight: await takeTurns(opened, rounds, async (peer) => [
      await timeInFlight(calls * 3, IN_FLIGHT, () => small(peer)),
    ]),
  };
}

async function timeFirst(peer: Peer): Promise<number> {
  const began = performance.now();
  const opened = await peer.open('echo');
  await opened.call(SMALL);
  const took = performance.now() - began;
  await opened.close();
  return took;
}

/** What one more occupies: its process, or what this one grows by. */
async function measureMemory(peer: Peer): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const first = await peer.open('echo');
  await first.call(SMALL);
  const own = first.pid === undefined ? undefined : privateDirtyKb(first.pid);
  const all = [first];
  try {
    if (own !== undefined) return own;
    collectGarbage();
    const before = privateDirtyKb('self');
    while (all.length <= SIDE_BY_SIDE) {
      const next = await peer.open('echo');
      all.push(next);
      await next.call(SMALL);
    }
    collectGarbage();
    return Math.max(0, privateDirtyKb('self') - before) / SIDE_BY_SIDE;
  } finally {
    for (const each of all) await each.close();
  }
}

/**
 * How many times as long as in no sandbox: what some more of the same take in one call, so that the
 * way there and back is in neither.
 */
async function measureCompute(
  peers: readonly Peer[],
  work: 'fib' | 'floors',
): Promise<readonly number[]> {
  const once = work === 'fib' ? () => fib(27) : floors;
  const plain = (): void => {
    for (let n = 0; n < COMPUTED; n += 1) once();
  };
  const ratios: number[] = [];
  for (const peer of peers) {
    const opened = await peer.open(work);
    const inside = (times: number) => time(1, () => opened.call({ times }));
    await inside(COMPUTED * 2);
    await time(5, plain);
    const { one, more, bare } = await inTurns(COMPUTE_ROUNDS, {
      bare: () => time(1, plain),
      one: () => inside(1),
      more: () => inside(1 + COMPUTED),
    });
    ratios.push((median(more) - median(one)) / median(bare));
    await opened.close();
  }
  return ratios;
}

/** Samples of each, one list for each of them. */
async function takeTurns<One>(
  all: readonly One[],
  rounds: number,
  run: (one: One) => Promise<readonly number[]>,
): Promise<number[][]> {
  const named = Object.fromEntries(all.map((one, index) => [`#${index}`, () => run(one)]));
  const samples = await inTurns(rounds, named);
  return all.map((_one, index) => samples[`#${index}`] ?? []);
}
