import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEngine } from '../src/index.js';
import { makeCatalog } from '../src/catalog/catalog.js';
import { median, time } from './statistics.js';
import type { Measure } from './subject.js';

/** Engines with many plugins installed, their answers kept from an earlier start. */
export async function measureStarts(): Promise<Measure[]> {
  const root = mkdtempSync(join(tmpdir(), 'bulkhead-bench-'));
  try {
    const [ten, hundred, thousand] = [
      await start(root, 10),
      await start(root, 100),
      await start(root, 1000),
    ];
    const slope = (thousand.ms - ten.ms) / 990;
    return [
      { work: 'start: 10 installed plugins', unit: 'ms', ours: ten.ms, goal: '–', met: true },
      { work: 'start: 100 installed plugins', unit: 'ms', ours: hundred.ms, goal: '–', met: true },
      {
        work: `start: 1,000 installed plugins, ${thousand.guests} guests`,
        unit: 'ms',
        ours: thousand.ms,
        goal: '≤ 150 ms, no guest',
        met: thousand.ms <= 150 && thousand.guests === 0,
      },
      {
        work: 'start: each further plugin',
        unit: 'µs',
        ours: slope * 1000,
        goal: '≤ 100 µs',
        met: slope <= 0.1,
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function start(
  root: string,
  count: number,
): Promise<{ readonly ms: number; readonly guests: number }> {
  const directory = join(root, `plugins-${count}`);
  for (let n = 0; n < count; n += 1) writePlugin(join(directory, `p${n}`), `p${n}`);
  let guests = 0;
  /** Until the catalog answers; to close an engine takes its own time. */
  const open = async (): Promise<number> => {
    const began = performance.now();
    const engine = await createEngine({
      plugins: [`${directory}/*`],
      cacheDirectory: join(root, 'cache'),
      limits: { pool: 0 },
      onEvent: ({ type }) => {
        if (type === 'guest-started') guests += 1;
      },
    });
    if (engine.catalog.list().length !== count) throw new Error('a plugin is missing');
    const took = performance.now() - began;
    await engine.close();
    return took;
  };
  await open();
  guests = 0;
  const took: number[] = [];
  for (let round = 0; round < 5; round += 1) took.push(await open());
  return { ms: median(took), guests };
}

function writePlugin(directory: string, id: string): void {
  mkdirSync(directory, { recursive: true });
  const manifest = {
    manifestVersion: 1,
    id,
    name: id,
    pandora: '>=1',
    provides: { tools: { entry: 'index.js' } },
  };
  writeFileSync(join(directory, 'pandora.manifest.json'), JSON.stringify(manifest));
  writeFileSync(
    join(directory, 'index.js'),
    "export const tools = [{ id: 'echo', name: 'Echo', description: 'Says it again', annotations: { readOnlyHint: true }, parameters: { type: 'object', properties: { text: { type: 'string' } } }, execute: async (input) => input }];",
  );
}

/** Look-ups in small and large catalogs: the time must not grow with the number of tools. */
export async function measureCatalog(): Promise<Measure[]> {
  const took = [];
  for (const count of [10, 1_000, 100_000]) {
    const { catalog, replace } = makeCatalog();
    replace(
      Array.from({ length: count }, (_, n) => ({
        plugin: `plugin${Math.floor(n / 10)}`,
        tool: `tool${n % 10}`,
        title: '',
        description: '',
        inputSchema: {},
        annotations: {},
        timeoutMs: 60_000,
        declaredRisk: 'low' as const,
        risk: 'low' as const,
        riskWhy: '',
        requireApproval: false,
        background: false,
        confinement: 'compartment' as const,
      })),
    );
    const names = catalog.list().map(({ name }) => name);
    const samples = await time(20, () => {
      for (let n = 0; n < 1000; n += 1) catalog.find(names[(n * 7919) % names.length] ?? '');
    });
    took.push(median(samples));
  }
  const [small = 0, , large = 0] = took;
  return [
    {
      work: 'catalog: one look-up among 100,000 tools, against 10',
      unit: 'µs',
      ours: large,
      floor: small,
      ratio: large / small,
      goal: 'does not grow with the number',
      // A hash of a hundred thousand keys misses the processor's caches; a search would be 10,000 ×.
      met: large / small < 20,
    },
  ];
}
