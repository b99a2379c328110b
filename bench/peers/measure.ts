import { type Floor, startFloor } from '../floor.js';
import { median, rate, time } from '../statistics.js';
import { BIG, SMALL, call, startEngine } from '../subject.js';
import { isolatedVm } from './isolated-vm.js';
import type { OpenPeer, Peer } from './peer.js';
import { quickjs } from './quickjs.js';
import { snaps } from './snaps.js';
import { worker } from './worker.js';

/** One way to hold code, with everything that it takes to hold it, on the same work in one run. */
export interface Comparison {
  readonly name: string;
  readonly containment: string;
  /** Why there are no figures. */
  readonly missing?: string;
  /** Milliseconds from nothing to the first result. */
  readonly coldMs?: number;
  readonly smallMicros?: number;
  readonly bigMicros?: number;
  /** Calls a second with 100 of them under way. */
  readonly piped?: number;
}

const bulkhead: Peer = {
  name: 'Bulkhead',
  containment: 'a process without files, network or children',
  open: async () => {
    const engine = await startEngine(0);
    return { call: (input) => call(engine, 'echo', input), close: () => engine.close() };
  },
};

const floor: Peer = {
  name: 'floor: a bare pipe',
  containment: 'none',
  open: () => {
    const bare: Floor = startFloor();
    return Promise.resolve({ call: bare.call, close: bare.close });
  },
};

const PEERS: readonly Peer[] = [floor, bulkhead, worker, isolatedVm, quickjs, snaps];

/** Measures every peer that is installed, one after the other, and says of the others why not. */
export async function comparePeers(calls: number): Promise<Comparison[]> {
  const comparisons: Comparison[] = [];
  for (const peer of PEERS) comparisons.push(await compare(peer, calls));
  return comparisons;
}

async function compare({ name, containment, open }: Peer, calls: number): Promise<Comparison> {
  try {
    const cold: number[] = [];
    for (let n = 0; n < 5; n += 1) cold.push(await timeFirst(open));
    const peer = await open();
    const small = (): Promise<unknown> => peer.call(SMALL);
    await time(calls, small);
    const figures = {
      coldMs: median(cold),
      smallMicros: median(await time(calls, small)) * 1000,
      bigMicros: median(await time(calls / 20, () => peer.call(BIG))) * 1000,
      piped: await rate(calls * 5, 100, small),
    };
    await peer.close();
    return { name, containment, ...figures };
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return { name, containment, missing: why };
  }
}

async function timeFirst(open: () => Promise<OpenPeer>): Promise<number> {
  const began = performance.now();
  const peer = await open();
  await peer.call(SMALL);
  const took = performance.now() - began;
  await peer.close();
  return took;
}
