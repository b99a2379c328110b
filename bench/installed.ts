import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEngine } from './built.js';
import { compare, type Effort, type Measure } from './measure.js';
import { withDirectory, writeEcho } from './plugins-on-disk.js';
import { median } from './statistics.js';

/** What a plugin may cost a start, in milliseconds. */
const EACH_MS = 0.1;
const STARTS = 5;

interface Started {
  readonly count: number;
  readonly took: readonly number[];
  /** Milliseconds in which its files are read and nothing else, as an engine does: off its thread. */
  readonly read: readonly number[];
  readonly guests: number;
}

/** Engines with many installed plugins, whose contributions are cached from an earlier start. */
export function measureInstalled({ installed, share }: Effort): Promise<Measure[]> {
  return withDirectory(async (root) => {
    const all: Started[] = [];
    for (const count of installed) all.push(await start(root, count));
    const [first] = all;
    const last = all.at(-1);
    if (first === undefined || last === undefined) return [];
    const slopes = all.slice(1).map((later, index) => slope(all[index] ?? first, later));
    return [
      ...all.map((one) => tellStart(one, share)),
      {
        work: `start: each further plugin, ${first.count} to ${last.count.toLocaleString('en')}`,
        unit: 'µs',
        ours: slope(first, last) * 1000,
        goal: `≤ ${EACH_MS * 1000} µs, linear`,
        // Each stretch as steep as the one before: a noisy one is allowed to be twice that.
        met:
          slope(first, last) <= EACH_MS &&
          slopes.every((steep, index) => index === 0 || steep <= 2 * (slopes[index - 1] ?? steep)),
      },
    ];
  });
}

function slope(from: Started, to: Started): number {
  return (median(to.took) - median(from.took)) / (to.count - from.count);
}

function tellStart({ count, took, read, guests }: Started, share: number): Measure {
  const figures = compare(took, read, share);
  return {
    work: `start: ${count.toLocaleString('en')} installed plugins, ${guests} guests`,
    unit: 'ms',
    ...figures,
    ...(count === 1_000 && {
      goal: '≤ 150 ms, no guest',
      met: figures.ours <= 150 && guests === 0,
    }),
  };
}

async function start(root: string, count: number): Promise<Started> {
  const directory = join(root, `plugins-${count}`);
  const directories = Array.from({ length: count }, (_, n) => join(directory, `p${n}`));
  for (const [n, one] of directories.entries()) writeEcho(one, `p${n}`);
  let guests = 0;
  const open = async (): Promise<number> => {
    const began = performance.now();
    const engine = await createEngine({
      plugins: [`${directory}/*`],
      cacheDirectory: join(root, 'cache'),
      onEvent: ({ type }) => {
        if (type === 'guest-started') guests += 1;
      },
    });
    if (engine.catalog.list().length !== count) throw new Error('the catalog lacks a tool');
    const milliseconds = performance.now() - began;
    await engine.close();
    return milliseconds;
  };
  const readAll = async (): Promise<number> => {
    const began = performance.now();
    for (const one of directories) {
      for (const file of ['pandora.manifest.json', 'index.js']) await readFile(join(one, file));
    }
    return performance.now() - began;
  };
  await open();
  await readAll();
  guests = 0;
  const [took, read]: [number[], number[]] = [[], []];
  for (let n = 0; n < STARTS; n += 1) {
    took.push(await open());
    read.push(await readAll());
  }
  return { count, took, read, guests };
}
