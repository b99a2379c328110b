/** Runs real plugins in Bulkhead and in their own runtimes, and compares: see README.md. */
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Json } from '../../sandbox/wire/messages.js';
import { checkOut } from './checkout.js';
import { openHosts } from './hosts.js';
import { onlyLater } from './late.js';
import { difference, normalise } from './normalise.js';
import { separatePackages } from './packages.js';
import type { Outcome, RealSystem, Scenario } from './scenario.js';
import { type Source, SOURCES, type System } from './sources.js';
import { SYSTEMS } from './systems.js';

const {
  values,
  positionals: [wanted = ''],
} = parseArgs({
  options: { packages: { type: 'boolean', default: false } },
  allowPositionals: true,
});

type Verdict = 'same' | 'differs' | 'skipped';

interface Row {
  readonly source: Source;
  readonly verdict: Verdict;
  readonly note: string;
}

async function compare(source: Source): Promise<Row> {
  const skipped = (note: string): Row => ({ source, verdict: 'skipped', note });
  const system = SYSTEMS[source.system];
  const name = source.scenario ?? source.id;
  const file = new URL(`./${source.system}/scenarios/${name}.ts`, import.meta.url);
  if (system === undefined || !existsSync(file)) return skipped('it has no scenario yet');
  const missing = await missingFor(source.system);
  if (missing !== undefined) return skipped(missing);
  const checkout = await checkOut(source);
  if ('skipped' in checkout) return skipped(checkout.skipped);
  const { scenario }: { readonly scenario: Scenario } = await import(file.href);
  const [ours, oracle] = await Promise.all(
    [system.ours, system.oracle].map((run) => runOnce(source, checkout.directory, scenario, run)),
  );
  if (ours === undefined || oracle === undefined) throw new Error('unreachable');

  const { known = {}, steps } = scenario;
  const mine = steps.map((_, at) => outcomeAt(ours, at));
  const theirs = steps.map((_, at) => outcomeAt(oracle, at));
  let late = 0;
  const differences = steps.flatMap((step, at) => {
    const found = difference(mine[at], theirs[at]);
    if (found === undefined || known[at + 1] !== undefined) return [];
    if (onlyLater(mine, theirs, at)) {
      late += 1;
      return [];
    }
    return [`  ${source.id}, step ${at + 1} ${JSON.stringify(step).slice(0, 120)}\n    ${found}`];
  });
  for (const text of differences) console.log(text);
  const isSame = differences.length === 0;
  const meant = Object.keys(known).length;
  const note = [
    `${steps.length - differences.length} of ${steps.length} steps`,
    ...(meant === 0 ? [] : [`${meant} of them differ on purpose`]),
    ...(late === 0 ? [] : [`${late} of them have effects of a step close to them`]),
  ].join(', ');
  return { source, verdict: isSame ? 'same' : 'differs', note };
}

function outcomeAt({ outcomes, failure }: Run, at: number): Json {
  const outcome = outcomes[at];
  if (outcome === undefined) return `no answer: ${failure ?? 'the run ended early'}`;
  return JSON.parse(JSON.stringify(outcome));
}

interface Run {
  readonly outcomes: readonly Outcome[];
  readonly failure?: string;
}

/** Runs the scenario in a fresh workspace with fresh servers. */
async function runOnce(
  { id }: Source,
  directory: string,
  scenario: Scenario,
  run: RealSystem<unknown>['ours'],
): Promise<Run> {
  const root = await mkdtemp(join(tmpdir(), 'bulkhead-real-'));
  const workspace = join(root, 'workspace');
  const plugin = join(workspace, 'plugins', id);
  await cp(directory, plugin, { recursive: true, verbatimSymlinks: true });
  for (const [path, text] of Object.entries(scenario.files ?? {})) {
    await mkdir(dirname(join(workspace, path)), { recursive: true });
    await writeFile(join(workspace, path), text);
  }
  const placed: Scenario = JSON.parse(JSON.stringify(scenario).replaceAll('@workspace', workspace));
  const hosts = await openHosts(scenario.hosts ?? {});
  const outcomes: Outcome[] = [];
  try {
    await run({
      id,
      plugin,
      workspace,
      ...(values.packages ? { packages: await separatePackages(plugin) } : {}),
      scenario: placed,
      origins: hosts.origins,
      onAnswer: (answer) => {
        outcomes.push({
          answer: normalise(answer, workspace),
          requests: JSON.parse(JSON.stringify(hosts.take())),
        });
      },
    });
    return { outcomes };
  } catch (error) {
    return { outcomes, failure: error instanceof Error ? error.message : String(error) };
  } finally {
    await hosts.close();
    // The storage of a guest that was killed may still be written.
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const reasons = new Map<System, Promise<string | undefined>>();

/** Asked once for each system. */
function missingFor(name: System): Promise<string | undefined> {
  const reason = reasons.get(name) ?? Promise.resolve(SYSTEMS[name]?.missing());
  reasons.set(name, reason);
  return reason;
}

const rows: Row[] = [];
for (const source of SOURCES.filter(({ id, system }) => `${system}/${id}`.includes(wanted))) {
  rows.push(await compare(source));
}
for (const { source, verdict, note } of rows) {
  console.log(`${verdict.padEnd(8)} ${`${source.system}/${source.id}`.padEnd(36)} ${note}`);
}
const countOf = (verdict: Verdict): number => rows.filter((row) => row.verdict === verdict).length;
console.log(`${countOf('same')} same, ${countOf('differs')} differ, ${countOf('skipped')} skipped`);
process.exitCode = countOf('differs') === 0 ? 0 : 1;
