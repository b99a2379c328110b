import type { Sample } from './sample.js';

/** What grew, one sentence each: the last third of the samples is compared with the first. */
export function findGrowth(samples: readonly Sample[], maxProcesses: number): string[] {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return ['too few samples: give it more calls'];
  const [first, last] = [samples.slice(0, third), samples.slice(-third)];
  const grown = (what: string, of: (sample: Sample) => number, slack: number): string[] => {
    const [before, after] = [median(first.map(of)), median(last.map(of))];
    return after > before * 1.1 + slack
      ? [`${what} grew from ${Math.round(before)} to ${Math.round(after)}`]
      : [];
  };
  const most = Math.max(...samples.map(({ processes }) => processes));
  return [
    ...grown('memory of the host (RSS, MiB)', ({ rssMb }) => rssMb, 32),
    ...grown('heap of the host after collection (MiB)', ({ heapMb }) => heapMb, 8),
    ...grown('buffers of the host (MiB)', ({ externalMb }) => externalMb, 8),
    ...grown('descriptors', ({ descriptors }) => descriptors, 8),
    ...(most > maxProcesses
      ? [`there were ${most} processes, and may be ${maxProcesses} at most`]
      : []),
  ];
}

/** What is there now that was not there before anything began, one sentence each. */
export function findLeft(before: Sample, after: Sample): string[] {
  const left: string[] = [];
  if (after.processes > before.processes) left.push(`${after.processes} processes`);
  if (after.descriptors > before.descriptors) {
    left.push(`${after.descriptors - before.descriptors} descriptors`);
  }
  for (const [kind, count] of Object.entries(after.resources)) {
    const more = count - (before.resources[kind] ?? 0);
    if (more > 0) left.push(`${more} × ${kind}`);
  }
  return left.map((what) => `${what} left over`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
