import type { Measure } from '../measure.js';
import type { Comparison, Figures } from './comparison.js';

/** The goals that speak of peers, each judged on figures of one run on one Node. */
export function judgePeers(all: readonly Comparison[]): readonly Measure[] {
  const [isolate, ours] = findPair(all, 'isolated-vm');
  const [snap, ourOwn] = findPair(all, 'MetaMask Snaps');
  return [
    {
      work: `small, sequential, p50, against ${isolate?.name ?? 'isolated-vm'}${on(isolate)}`,
      unit: 'µs',
      ...figuresOf(ours?.smallMicros, isolate?.figures?.smallMicros),
      goal: 'below isolated-vm',
      ...judge(ours, isolate, (mine, theirs) => mine.smallMicros < theirs.smallMicros),
    },
    {
      work: `small, 100 in flight, against ${snap?.name ?? 'Snaps'}${on(snap)}`,
      unit: 'calls/s',
      ...figuresOf(ourOwn?.perSecond, snap?.figures?.perSecond),
      goal: '≥ 5 × Snaps',
      ...judge(ourOwn, snap, (mine, theirs) => mine.perSecond >= 5 * theirs.perSecond),
    },
  ];
}

/** A peer, and our own figures on its Node. */
function findPair(
  all: readonly Comparison[],
  name: string,
): readonly [Comparison | undefined, Figures | undefined] {
  const peer = all.find((one) => one.name.startsWith(name));
  const ours = all.find((one) => one.name === 'Bulkhead' && one.node === peer?.node);
  return [peer, ours?.figures];
}

function on(peer: Comparison | undefined): string {
  return peer?.figures === undefined ? '' : `, Node ${peer.node.split('.')[0]}`;
}

function figuresOf(
  ours: number | undefined,
  theirs: number | undefined,
): Pick<Measure, 'ours' | 'floor' | 'ratio'> {
  if (ours === undefined || theirs === undefined) return { ours: Number.NaN };
  return { ours, floor: theirs, ratio: ours / theirs };
}

function judge(
  ours: Figures | undefined,
  peer: Comparison | undefined,
  isMet: (ours: Figures, theirs: Figures) => boolean,
): Pick<Measure, 'met' | 'missing'> {
  if (ours === undefined || peer?.figures === undefined) {
    return { missing: peer?.missing ?? 'a short run measures no peers' };
  }
  return { met: isMet(ours, peer.figures) };
}
