// Checks that popular packages of pure JavaScript run inside a plugin: installs them into a
// temporary directory, makes a small plugin of each, and calls its tool in a guest.
//
//   node scripts/npm-packages.mjs [--keep DIR] [--separate | --proposed | --author | --cost] [name …]
//
// `--separate`: packages run in compartments apart from the plugin's. They have the
// permissions of the plugin. `--proposed`: each has what its code was seen to use, as `bulkhead add` proposes. `--author`: all packages are one unit, as in `bulkhead dev`. `--cost`: runs each package both ways, compares the answers, and prints
// what separate packages cost, with the permissions of `--proposed`, in one guest, as times of one bundle: processor time of the main thread
// to the first result, private memory, and processor time of up to 50 further calls. What a guest without
// packages takes to its first result is subtracted. Guests of both kinds take turns. Linux only.
//
// Prints a table. The exit code is 0 if at least 90 % of the packages work.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { middleOf, readCost } from './guest-cost.mjs';
import { packages } from './npm-packages-list.mjs';
import { keepBundlers } from '../dist/src/engine/node/walled-bundler.js';
import { createEngine } from '../dist/src/index.js';
import { NO_PERMISSIONS } from '../dist/src/permissions/permissions.js';
import { proposePackages, wantsOf } from '../dist/src/suggest/package-policy.js';
import { suggestPermissions } from '../dist/src/suggest/suggest.js';
import { readUnits } from '../dist/sandbox/wire/units.js';
import { buildBundle } from '../dist/src/plugin/bundle/build.js';

const args = process.argv.slice(2);
const keepAt = args.indexOf('--keep');
const kept = keepAt < 0 ? undefined : args.splice(keepAt, 2)[1];
const directory = kept ?? mkdtempSync(join(tmpdir(), 'bulkhead-npm-'));
const takeFlag = (flag) => {
  const at = args.indexOf(flag);
  return at >= 0 && args.splice(at, 1).length === 1;
};
const isCost = takeFlag('--cost');
const isProposed = takeFlag('--proposed');
const isSeparate = takeFlag('--separate') || isProposed;
const isForAuthor = takeFlag('--author');
if (isForAuthor) keepBundlers();
const chosen = packages.filter(({ name }) => args.length === 0 || args.includes(name));

if (!existsSync(join(directory, 'node_modules'))) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, 'package.json'),
    '{ "name": "packages", "version": "1.0.0", "private": true, "type": "module" }',
  );
  const names = [...new Set(packages.flatMap(({ name, install = name }) => install))];
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...names],
    { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const TOOL = `export const tools = [{ id: 'use', name: 'Use', description: 'Uses the package',
  parameters: { type: 'object', properties: {} }, execute: async () => run() }];`;

/** Vellum's plugins may have cryptographic randomness, which Pandora's never have. */
const VELLUM_TOOL = `import { run } from '../ENTRY'; export default { description: 'Uses the package',
  input_schema: { type: 'object', properties: {} }, defaultRiskLevel: 'low',
  execute: async () => ({ content: String(await run()), isError: false }) };`;

const manifestOf = (entry, grants) =>
  JSON.stringify({
    manifestVersion: 1,
    id: 'packages',
    name: 'Packages',
    description: 'Uses a package',
    version: '1.0.0',
    license: 'MIT',
    pandora: '>=0.1.0',
    provides: { tools: { entry: `./${entry}`, permissions: { time: true, ...grants } } },
  });

/** The answer of every host: the package's own, or the request itself for /echo, or a text. */
let answer;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const { method, url } = request;
    const json = answer ?? (url.startsWith('/echo') ? { method, url, body } : undefined);
    if (json !== undefined) response.setHeader('content-type', 'application/json');
    response.end(json === undefined ? 'fetched' : JSON.stringify(json));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');

/** A measured call is repeated this often, or less often if its package takes long. */
const REPEATED = 50;
const REPEATED_AT_LEAST = 5;
/** Milliseconds of processor time that the repeated calls of one guest should take at most. */
const REPEATED_MS = 500;

/** Guests of each kind that are measured for each package. The median counts. */
const SAMPLES = 3;

/** Packages from one measurement of a guest without packages to the next. */
const EMPTY_EVERY = 10;

const rows = [];
if (isCost) await compareCosts();
else
  for (const one of chosen) {
    const row = await tryPackage(one, isSeparate);
    rows.push(row);
    console.log(
      `${row.ok ? 'works' : 'FAILS'}  ${row.name.padEnd(22)} ${String(row.kilobytes).padStart(6)} kB ${String(row.ms).padStart(6)} ms  ${row.problem}`,
    );
  }
server.close();
const working = rows.filter(({ ok }) => ok).length;
console.log(`\n${working} of ${rows.length} packages load and work${isCost ? ' both ways' : ''}.`);
if (kept === undefined) rmSync(directory, { recursive: true, force: true });
process.exitCode = working >= rows.length * 0.9 ? 0 : 1;

async function compareCosts() {
  const nothing = { name: 'nothing', use: 'const run = () => true;' };
  const empties = [];
  const costs = [];
  const baseOf = (kind) =>
    // A call's own way to the guest belongs to a call.
    kind === 'calls' ? 0 : middleOf(empties.map((cost) => cost[kind]));
  for (const [index, one] of chosen.entries()) {
    // The machine's speed changes in the time that this takes.
    if (index % EMPTY_EVERY === 0)
      empties.push((await costsOf([await prepare(nothing, false)]))[0]);
    const both = [await prepare(one, true), await prepare(one, false)];
    const [separate, together] = await costsOf(both);
    const failed = both.find(({ row }) => !row.ok);
    rows.push({ ok: failed === undefined });
    if (failed !== undefined) {
      console.log(`FAILS  ${one.name.padEnd(22)} ${failed.row.problem}`);
      continue;
    }
    costs.push([separate, together]);
    const ratios = Object.keys(separate).map((kind) => {
      const [ours, floor] = [separate, together].map((cost) => cost[kind] - baseOf(kind));
      const more = `${ours < floor ? '' : '+'}${(ours - floor).toFixed(kind === 'memory' ? 0 : 1)}`;
      return `${kind} ${(ours / floor).toFixed(2).padStart(6)} ${`(${more})`.padStart(8)}`;
    });
    console.log(
      `works  ${one.name.padEnd(22)} ${both[0].row.packages} packages  ${ratios.join('  ')}`,
    );
  }
  for (const kind of Object.keys(costs[0]?.[0] ?? {})) {
    const [ours, floor] = [0, 1].map((how) =>
      costs.reduce((sum, pair) => sum + pair[how][kind] - baseOf(kind), 0),
    );
    const empty = baseOf(kind).toFixed(1);
    console.log(
      `${kind}: ${(ours / floor).toFixed(3)} times one bundle, over all packages (${ours.toFixed(0)} against ${floor.toFixed(0)}; ${empty} of a guest without packages subtracted from each)`,
    );
  }
}

/** What guests of these plugins cost: the medians of several each, which take turns. Notes what fails. */
async function costsOf(prepared) {
  const samples = prepared.map(() => []);
  let repeated = REPEATED;
  for (let n = 0; n < SAMPLES; n += 1) {
    // Each is the first of a turn equally often.
    const order = n % 2 === 0 ? prepared : prepared.toReversed();
    for (const one of order) {
      if (one.row.problem !== '') return samples.map(() => undefined);
      const taken = [];
      let last;
      await useOnce(one, async (call, pid) => {
        const first = readCost(pid);
        let now = first;
        while (taken.length < repeated) {
          const before = now.ms;
          await call();
          now = readCost(pid);
          taken.push(now.ms - before);
          if (n === 0 && now.ms - first.ms > REPEATED_MS && taken.length >= REPEATED_AT_LEAST)
            repeated = taken.length;
        }
        last = { first: first.ms, memory: first.kilobytes, calls: now.ms - first.ms, taken };
      });
      if (last !== undefined) samples[prepared.indexOf(one)].push(last);
    }
  }
  // The first guests may have made more calls than all the others do.
  return samples.map((all) =>
    medianOf(
      all.map(({ taken, ...rest }) => ({
        ...rest,
        calls: taken.slice(0, repeated).reduce((sum, ms) => sum + ms, 0),
      })),
    ),
  );
}

function medianOf(samples) {
  const kinds = Object.keys(samples[0] ?? {});
  return Object.fromEntries(kinds.map((kind) => [kind, middleOf(samples.map((one) => one[kind]))]));
}

async function tryPackage(one, separately) {
  const prepared = await prepare(one, separately);
  if (prepared.row.problem === '') await useOnce(prepared);
  return prepared.row;
}

/** Writes a plugin that uses the package, and bundles it. */
async function prepare(
  { name, use, grants = {}, answer: ofHosts, system = 'pandora' },
  separately,
) {
  answer = ofHosts;
  const began = performance.now();
  const row = { name, ok: false, kilobytes: 0, ms: 0, problem: '' };
  try {
    const entry = `bulkhead-${rows.length}.mjs`;
    writeFileSync(join(directory, entry), `${use}\n${TOOL}`);
    const manifest = join(directory, 'pandora.manifest.json');
    rmSync(manifest, { force: true });
    rmSync(join(directory, 'tools'), { recursive: true, force: true });
    if (system === 'pandora') writeFileSync(manifest, manifestOf(entry, grants));
    else {
      mkdirSync(join(directory, 'tools'));
      writeFileSync(join(directory, 'tools/use.js'), VELLUM_TOOL.replace('ENTRY', entry));
    }
    const { bundle } = await buildBundle({
      directory,
      entry: { file: entry },
      ...(separately ? { separate: { together: [] } } : {}),
      ...(isForAuthor ? { separate: 'installed' } : {}),
    });
    const all = separately ? grantsOf(bundle, grants) : {};
    const grant =
      separately && (isCost || isProposed) ? await proposedOf(directory, bundle, grants) : all;
    row.ms = Math.round(performance.now() - began);
    row.kilobytes = Math.round(bundle.code.length / 1024);
    row.packages = bundle.packages.length;
    const options = {
      plugins: [directory],
      grant: system === 'pandora' ? 'declared' : () => ({ time: true, ...grants }),
      packages: { packages: separately ? { grant } : 'together' },
      cacheDirectory: join(directory, '.cache'),
      limits: isCost ? { timeoutMs: 60_000, pool: 0 } : { timeoutMs: 20_000 },
      logger: SILENT,
      network: {
        overrides: (grants.network ?? []).map((host) => ({
          host,
          url: `http://127.0.0.1:${server.address().port}`,
        })),
      },
    };
    // Reads what the plugin offers, so that the measured guest only loads it.
    if (isCost) await (await createEngine(options)).close();
    return { row, options, tool: system === 'pandora' ? 'packages__use' : 'use' };
  } catch (error) {
    row.problem = String(error.message).slice(0, 300);
    return { row };
  }
}

/** Calls the tool in a guest of its own. If its answer is right, passes on what calls it again, and the guest. */
async function useOnce({ row, options, tool }, then) {
  let pid;
  const onEvent = (event) => {
    if (event.type === 'guest-started') pid = event.pid;
  };
  try {
    const engine = await createEngine({ ...options, onEvent });
    const [problem] = engine.problems?.() ?? [];
    const call = () => engine.call(tool, {});
    const result = await call();
    row.ok = result.value === true || result.content[0]?.text === 'true';
    if (row.ok) await then?.(call, pid);
    else row.problem = describe(result, problem);
    await engine.close();
  } catch (error) {
    row.ok = false;
    row.problem = String(error.message).slice(0, 300);
  }
}

/** What each package gets: the permissions of the plugin. */
function grantsOf({ packages: found }, grants) {
  const { random = false, network = [], env = [], storage = false } = grants;
  const all = { time: true, random, network: network.length > 0, env, storage };
  return Object.fromEntries(found.map(({ path }) => [path, all]));
}

/** What `bulkhead add` proposes: each package gets what its code was seen to use of the plugin's permissions. */
async function proposedOf(
  plugin,
  { code, packages: found },
  { time = true, random, network = [], env = [], storage },
) {
  const units = new Map(readUnits(code).map((unit) => [unit.path, unit]));
  const packagesOf = Object.fromEntries(
    found.map(({ path }) => [path, { undeclared: units.get(path)?.undeclared ?? [] }]),
  );
  const granted = {
    ...NO_PERMISSIONS,
    time,
    random: random === true,
    storage: storage === true,
    network,
    env,
  };
  const wants = wantsOf(await suggestPermissions(plugin), packagesOf);
  return proposePackages(packagesOf, wants, granted).grant;
}

function describe({ code, content, value }, problem) {
  if (code === undefined) return `gave ${JSON.stringify(value)}`;
  const text = content.map((block) => block.text).join(' ');
  return `${code}: ${text} ${problem?.message ?? ''}`.slice(0, process.env.STACK ? 3000 : 300);
}
