import { describe, expect, it } from 'vitest';
import type { Comparison } from '../../bench/peers/comparison.js';
import { judgePeers } from '../../bench/peers/judge.js';

const one = (name: string, node: string, smallMicros: number, perSecond: number): Comparison => ({
  name,
  node,
  isolation: 'something',
  ownProcess: true,
  isFloor: false,
  figures: {
    coldMs: 1,
    smallMicros,
    smallP99Micros: 1,
    bigMicros: 1,
    perSecond,
    fibTimes: 1,
    floorsTimes: 1,
  },
});
const verdicts = (...all: readonly Comparison[]): readonly (boolean | undefined)[] =>
  judgePeers(all).map(({ met }) => met);

describe('goals relative to peers', () => {
  it('compare figures of the same Node version', () => {
    const isolate = one('isolated-vm 7', '26.0.0', 27, 1);
    const snaps = one('MetaMask Snaps 10', '20.0.0', 164, 9_000);
    const old = one('Bulkhead', '20.0.0', 40, 45_000);
    expect(verdicts(isolate, snaps, old, one('Bulkhead', '26.0.0', 26, 1))).toEqual([true, true]);
    expect(verdicts(isolate, snaps, old, one('Bulkhead', '26.0.0', 28, 1))).toEqual([false, true]);
    expect(verdicts(snaps, one('Bulkhead', '20.0.0', 40, 44_000))).toEqual([undefined, false]);
  });

  it('are not judged without the peer, and give the reason', () => {
    const { figures: _, ...absent } = one('isolated-vm', '–', 1, 1);
    const [isolate] = judgePeers([{ ...absent, missing: 'not installed' }]);
    expect(isolate?.met).toBeUndefined();
    expect(isolate?.missing).toBe('not installed');
  });
});
