import { makeCatalog } from '../src/catalog/catalog.js';
import type { Measure } from './measure.js';
import { median, time } from './statistics.js';

const COUNTS = [10, 1_000, 100_000] as const;
const LOOK_UPS = 1_000;

/** One look-up, and the list read to its end, among few and among many tools. */
export async function measureCatalog(): Promise<Measure[]> {
  const all = [];
  for (const count of COUNTS) all.push(await measure(count));
  const [few, , many] = all;
  if (few === undefined || many === undefined) return [];
  return all.flatMap(({ count, findMicros, listMicros }): Measure[] => [
    {
      work: `catalog: one look-up among ${count.toLocaleString('en')} tools`,
      unit: 'µs',
      ours: findMicros,
      floor: few.findMicros,
      ratio: findMicros / few.findMicros,
      // A hash of a hundred thousand keys misses the processor's caches; a search would be 10,000 ×.
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
        floor: few.listMicros * (many.count / few.count),
        ratio: listMicros / (few.listMicros * (many.count / few.count)),
        goal: '≤ 4 × as much for each as of 10',
        met: listMicros <= 4 * few.listMicros * (many.count / few.count),
      }),
    },
  ]);
}

interface Figures {
  readonly count: number;
  readonly findMicros: number;
  readonly listMicros: number;
}

async function measure(count: number): Promise<Figures> {
  const { catalog, replace } = makeCatalog();
  replace(Array.from({ length: count }, (_, n) => describe(n)));
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
    findMicros: (median(await time(30, find)) / LOOK_UPS) * 1000,
    listMicros: (median(listing) / repeats) * 1000,
  };
}

function describe(n: number): Parameters<ReturnType<typeof makeCatalog>['replace']>[0][number] {
  return {
    plugin: `plugin${Math.floor(n / 10)}`,
    tool: `tool${n % 10}`,
    title: '',
    description: 'Does what its name says',
    inputSchema: {},
    annotations: {},
    timeoutMs: 60_000,
    declaredRisk: 'low',
    risk: 'low',
    riskWhy: '',
    requireApproval: false,
    background: false,
    confinement: 'compartment',
  };
}
