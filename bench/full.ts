import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { FULL, type Measure, SHORT } from './measure.js';
import { comparePeers } from './peers/all.js';
import type { Comparison } from './peers/comparison.js';
import { judgePeers } from './peers/judge.js';
import { onOneProcessor } from './one-processor.js';
import { writePage } from './page.js';
import { drawComparison } from './picture.js';
import { whyNotQuiet } from './quiet.js';
import { tellComparisons, tellMeasures } from './table.js';
import { measureOnOneCore } from './one-core.js';
import { works } from './works.js';

/** What a run leaves behind in bench/results.json. */
export interface Results {
  readonly machine: string;
  readonly at: string;
  readonly measures: readonly Measure[];
  readonly comparisons: readonly Comparison[];
  /** What was not measured, and why. */
  readonly missing: readonly string[];
}

const RESULTS = new URL('results.json', import.meta.url);
const PICTURE = new URL('../docs/bench.svg', import.meta.url);
const PAGE = new URL('../docs/bench.md', import.meta.url);

/** Measures the whole table and prints it as it grows; only a whole one is written down. */
export async function measureAll(how: {
  readonly short: boolean;
  readonly node: string | undefined;
}): Promise<void> {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${process.platform}`;
  console.log(`Node ${process.versions.node}, ${machine}\n`);
  const busy = await whyNotQuiet();
  if (busy !== undefined) {
    console.log(`This machine is not quiet: ${busy}. No goal is judged, and nothing is written.\n`);
  }
  tellMeasures();
  const measures: Measure[] = [];
  const add = (some: readonly Measure[]): void => {
    const told = busy === undefined ? some : some.map(withoutVerdict);
    tellMeasures(told);
    measures.push(...told);
  };
  const effort = how.short ? SHORT : FULL;
  for (const work of Object.values(works)) add(await work(effort));
  add((await onOneProcessor(() => measureOnOneCore(effort))) ?? []);

  const comparisons = how.short ? [] : await comparePeers(FULL, how.node);
  add(judgePeers(comparisons));
  if (!how.short) tellComparisons(comparisons);

  const missing = listMissing(measures, comparisons, how.short);
  console.log('\nNot measured:');
  for (const line of missing) console.log(`  ${line}`);
  const judged = measures.filter(({ met }) => met !== undefined);
  const met = judged.filter((measure) => measure.met === true);
  console.log(`\n${met.length} of ${judged.length} goals met.`);
  if (how.short || busy !== undefined) return;
  const results = { machine, at: new Date().toISOString(), measures, comparisons, missing };
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
  draw(results);
}

/** The figures without what they would mean on a quiet machine. */
function withoutVerdict(measure: Measure): Measure {
  const { met: _, ...figures } = measure;
  return figures;
}

/** Draws the picture of an earlier run, and writes its page. */
export function drawAgain(): void {
  draw(JSON.parse(readFileSync(RESULTS, 'utf8')) as Results);
}

function draw(results: Results): void {
  writeFileSync(PICTURE, drawComparison(results));
  writeFileSync(PAGE, writePage(results));
  console.log(
    '\nbench/results.json and docs/bench.md have all figures, docs/bench.svg shows them.',
  );
}

function listMissing(
  measures: readonly Measure[],
  comparisons: readonly Comparison[],
  short: boolean,
): readonly string[] {
  return [
    ...measures.flatMap(({ work, missing }) =>
      missing === undefined ? [] : [`${work}: ${missing}`],
    ),
    ...comparisons.flatMap(({ name, missing }) =>
      missing === undefined ? [] : [`${name}: ${missing}`],
    ),
    ...(short ? ['peers, and engines with 1,000 plugins: a short run leaves them out'] : []),
    // Without a boundary, there is no crossing to measure.
    "a compartment in the host's own thread: nothing is crossed there, and a loop hangs the host",
    'other machines and other systems than this one; peers under load, or with hostile input',
  ];
}
