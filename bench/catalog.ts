import { exampleTool } from '../test/catalog/example-tool.js';
import { makeCatalog } from './built.js';
import type { Measure } from './measure.js';
import { median, time } from './statistics.js';

const COUNTS = [10, 1_000, 100_000] as const;
const LOOK_UPS = 1_000;

/** One look-up, and the list read to its end, among few and among many tools. */
export async function measureCatalog(): Promise<Measure[]> {
  const all = [];
  for (const count of COUNTS) all.push(await measure(count));
  const [few, some, many] = all;
  if (few === undefined || some === undefined || many === undefined) return [];
  // What each tool of a list takes, if it takes what it does in a thousand.
  const linear = (some.listMicros / some.count) * many.count;
  return all.flatMap(({ count, findMicros, listMicros, nameMs }): Measure[] => [
    {
      work: `catalog: one look-up among ${count.toLocaleString('en')} tools`,
      unit: 'µs',
      ours: findMicros,
      floor: few.findMicros,
      ratio: findMicros / few.findMicros,
      // So many miss the processor's caches; a search would take 10,000 times as long.
      ...(count === many.count && {
        goal: '≤ 20 × among 10: O(1)',
        met: findMicros <= 20 * few.findMicros,
      }),
    },
    {
      work: `catalog: listing ${count.toLocaleString('en')} tools`,
      unit: 'µs',
      ours: listMicros,
      ...(count === many.count && {
        floor: linear,
        ratio: listMicros / linear,
        goal: '≤ 20 × linear from 1,000',
        met: listMicros <= 20 * linear,
      }),
    },
    { work: `catalog: naming ${count.toLocaleString('en')} tools again`, unit: 'ms', ours: nameMs },
  ]);
}

interface Figures {
  readonly count: number;
  readonly findMicros: number;
  readonly listMicros: number;
  readonly nameMs: number;
}

async function measure(count: number): Promise<Figures> {
  const { catalog, replace } = makeCatalog();
  const more = { description: 'Does what its name says' };
  const tools = Array.from({ length: count }, (_, n) =>
    exampleTool(`plugin${Math.floor(n / 10)}`, `tool${n % 10}`, more),
  );
  const [nameMs = 0] = await time(1, () => replace(tools));
  const names = catalog.list().map(({ name }) => name);
  // As a host that shows each to a model: a list that is kept ready costs nothing until it is read.
  const list = (): number => {
    let length = 0;
    for (const { name, description } of catalog.list()) length += name.length + description.length;
    return length;
  };
  const find = (): number => {
    let found = 0;
    for (let n = 0; n < LOOK_UPS; n += 1) {
      const tool = catalog.find(names[(n * 7919) % names.length] ?? '');
      if (tool !== undefined) found += 1;
    }
    return found;
  };
  if (find() !== LOOK_UPS) throw new Error('a tool was not found');
  // Timers are too coarse for a list of ten.
  const repeats = Math.max(1, 10_000 / count);
  const listing = await time(30, () => {
    for (let n = 0; n < repeats; n += 1) list();
  });
  return {
    count,
    nameMs,
    findMicros: (median(await time(30, find)) / LOOK_UPS) * 1000,
    listMicros: (median(listing) / repeats) * 1000,
  };
}
