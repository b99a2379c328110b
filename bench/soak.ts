import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Engine } from '../src/index.js';
import { createEngine, startServer } from './built.js';
import { churn, type ChurnResult } from './soak/churn.js';
import { callBesideHangUps, type NeighbourResult } from './soak/neighbour.js';
import { writePluginFleet } from './soak/plugin-fleet.js';
import { fillBundleCache } from './soak/fill-cache.js';
import { type Sample, takeSample } from './soak/sample.js';
import { countTimers } from './soak/timers.js';
import { findGrowth, findLeft } from './soak/verdict.js';

/**
 * Many plugins, called for long, while guests are killed, callers give up and plugins come and go:
 * fails with what leaked. Linux only. `npm run soak -- --calls 100000 --seconds 300`
 */
const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '3600' },
    plugins: { type: 'string', default: '10000' },
    live: { type: 'string', default: '200' },
    width: { type: 'string', default: '64' },
    'trouble-ms': { type: 'string', default: '500' },
    'reload-ms': { type: 'string', default: '300000' },
    // Between two hang-ups. Every 16th ends a guest, and a new one takes a tenth of a second of a processor.
    'hang-up-ms': { type: 'string', default: '100' },
    // Reports where leaked timers were set. Takes a third of the time.
    places: { type: 'boolean', default: false },
    json: { type: 'string' },
    // The directory of the plugins and their caches, for the next soak.
    directory: { type: 'string' },
  },
});
const numbers = [
  'calls',
  'seconds',
  'plugins',
  'live',
  'width',
  'trouble-ms',
  'reload-ms',
  'hang-up-ms',
] as const;
if (Number(values.plugins) < 8 || Number(values.live) < 8) {
  process.stderr.write('The soak needs 8 plugins, and 8 live ones.\n');
  process.exit(1);
}
for (const name of numbers) {
  if (!(Number(values[name]) >= 1)) {
    process.stderr.write(`--${name} takes a number from 1, and is ${values[name]}.\n`);
    process.exit(1);
  }
}
const live = Number(values.live);
const plugins = Number(values.plugins);

/** Guests above the limit: a standby guest, its successor, and guests that are being killed. */
const PASSING = 16;

/** Processes of one guest at most: two of the walls' launcher are around it. */
const PER_GUEST = 3;

/** So long whatever was ended may take to be gone; the bundler waits ten seconds for more to do. */
const SETTLE_MS = 12_000;

/** Plugins with a part of their own, by their ids in the fleet. */
const REPLICATED = ['p0', 'p1', 'p2', 'p3'];
const [NEIGHBOUR, BY_TENANT, BY_CALL] = ['p4', 'p5', 'p6'];

/** Their further guests: two replicas of each, four tenants, and four calls at once. */
const MORE_GUESTS = 16;

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** The last plugins, whose bundles are not stored before the engine opens. */
const BUNDLED_BY_ENGINE = 8;

/** Between two samples. */
const WINDOW_MS = 5_000;

/** The possible outcomes of a call while guests are killed and plugins are disabled. */
const EXPECTED: ReadonlySet<string> = new Set([
  'ok',
  'BUSY',
  'CANCELLED',
  'DEADLINE_EXCEEDED',
  'GUEST_CRASHED',
  'GUEST_KILLED',
  // Killed before it was ready.
  'GUEST_START_FAILED',
  // A loop took a call with it that had written a file.
  'NEIGHBOUR_ENDED',
  'PLUGIN_INACTIVE',
  'QUARANTINED',
  'TOOL_FAILED',
]);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const root = values.directory ?? mkdtempSync(join(tmpdir(), 'bulkhead-soak-'));
try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  if (values.directory === undefined) rmSync(root, { recursive: true, force: true });
}

async function soak(): Promise<boolean> {
  const ids = writePluginFleet(join(root, 'plugins'), plugins);
  await warmUp();
  const filling = performance.now();
  await fillBundleCache(
    join(root, 'cache'),
    ids.slice(0, -BUNDLED_BY_ENGINE).map((id) => join(root, 'plugins', id)),
  );
  print(`bundles stored in ${seconds(filling)} s`);
  await pause(SETTLE_MS);
  const before = takeSample();
  const timers = countTimers(values.places);
  const began = performance.now();
  const engine = await open('plugins');
  print(`${plugins} plugins installed in ${seconds(began)} s: ${textOf(takeSample())}`);
  for (const id of ids.slice(0, live)) await engine.call(`${id}:echo`, {});
  print(`${live} of them started after ${seconds(began)} s`);

  const samples: Sample[] = [];
  const calls = Number(values.calls);
  const started = performance.now();
  let ended = 0;
  engine.on(({ type }) => {
    if (type === 'call-ended') ended += 1;
  });
  const sampling = setInterval(() => {
    const sample = takeSample();
    samples.push(sample);
    print(`${ended} calls, ${seconds(started)} s: ${textOf(sample)} ${timers.live().count} timers`);
  }, WINDOW_MS);
  const server = await startServer(engine, { port: 0, mcp: { path: '/mcp' } }, QUIET);
  let churning = true;
  const beside = callBesideHangUps({
    engine,
    plugin: NEIGHBOUR,
    url: `${server.url}/mcp`,
    token: server.credentials.call,
    goesOn: () => churning,
    everyMs: Number(values['hang-up-ms']),
  });
  const result = await churn({
    engine,
    ids: ids.filter((id) => id !== NEIGHBOUR),
    spared: [NEIGHBOUR],
    isolated: { byTenant: BY_TENANT, byCall: BY_CALL },
    live,
    calls,
    seconds: Number(values.seconds),
    width: Number(values.width),
    troubleMs: Number(values['trouble-ms']),
    reloadMs: Number(values['reload-ms']),
    random: Math.random,
  }).finally(() => {
    churning = false;
  });
  const neighbour = await beside;
  await server.stop();
  clearInterval(sampling);
  print(`${result.calls} calls in ${seconds(started)} s`);
  await engine.close();
  await pause(SETTLE_MS);
  const after = takeSample();
  const left = timers.live();
  timers.stop();
  // What is compiled and cached grows for a while, whatever is called.
  const settled = samples.slice(Math.floor(samples.length / 4));
  const problems = [
    ...findGrowth(settled, (live + MORE_GUESTS + PASSING) * PER_GUEST),
    ...findLeft(before, after),
    ...(left.count > 0 ? [`${left.count} timers left over: ${left.places.join('; ')}`] : []),
    ...(result.wrong > 0 ? [`${result.wrong} calls got an answer that was not theirs`] : []),
    ...unexpected(result),
    ...hurtOf(neighbour),
  ];
  print(`neighbour: ${JSON.stringify(neighbour)}`);
  report(result, before, after, problems);
  if (values.json !== undefined) {
    writeFileSync(
      values.json,
      JSON.stringify({ result, neighbour, before, samples, after, problems }),
    );
  }
  return problems.length === 0;
}

/** Whatever is loaded once and for all is there before anything is counted. */
async function warmUp(): Promise<void> {
  const [id = ''] = writePluginFleet(join(root, 'first'), 1);
  const engine = await open('first');
  await engine.call(`${id}:echo`, {});
  await engine.close();
  await pause(SETTLE_MS);
}

function open(directory: string): Promise<Engine> {
  return createEngine({
    plugins: [`${join(root, directory)}/*`],
    cacheDirectory: join(root, 'cache'),
    grant: 'declared',
    storageDirectory: join(root, 'storage'),
    logger: QUIET,
    limits: { maxGuests: live + MORE_GUESTS },
    replicas: Object.fromEntries(REPLICATED.map((id) => [id, { max: 3 }])),
    isolation: { [BY_TENANT]: 'tenant', [BY_CALL]: 'call' },
  });
}

/** The calls of the neighbour that did not end well. */
function hurtOf({ calls, hurt, hangUps }: NeighbourResult): string[] {
  if (hangUps === 0 || calls === 0) return ['no client hung up, or no neighbour called'];
  return Object.entries(hurt).map(([outcome, count]) => `${count} neighbours got ${outcome}`);
}

function unexpected({ outcomes }: ChurnResult): string[] {
  return Object.entries(outcomes)
    .filter(([outcome]) => !EXPECTED.has(outcome))
    .map(([outcome, count]) => `${count} calls ended with ${outcome}`);
}

function report(result: ChurnResult, before: Sample, after: Sample, problems: readonly string[]) {
  print(`before: ${textOf(before)}`);
  print(`after:  ${textOf(after)}`);
  print(`outcomes: ${JSON.stringify(result.outcomes)}`);
  print(`troubles: ${JSON.stringify(result.troubles)}; most guests ${result.mostGuests}`);
  print(problems.length === 0 ? 'nothing leaked' : problems.map((one) => `LEAK ${one}`).join('\n'));
}

function textOf({ rssMb, heapMb, externalMb, descriptors, processes, resources }: Sample): string {
  const kinds = Object.entries(resources).map(([kind, count]) => `${kind} ${count}`);
  return `${Math.round(rssMb)} MiB, heap ${heapMb.toFixed(1)} MiB, buffers ${externalMb.toFixed(1)} MiB, ${descriptors} descriptors, ${processes} processes, ${kinds.join(' ')}`;
}

function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}
