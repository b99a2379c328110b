// Measures what separate packages cost in published MCP servers: accepts each from npm twice, as `bulkhead add` does it,
// with its packages separate and as one bundle, and starts both in guests.
//
//   node scripts/mcp-servers.mjs [--keep DIR] [name …]
//
// Prints for each the processor time of the guest's main thread until it is suspended, its private memory then, and the
// processor time of 50 requests, as times of one bundle. What a guest of a server without packages takes is subtracted.
// The lists of tools must be equal. Needs the registry of npm. Linux only.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../dist/src/index.js';
import { findInnermost } from '../dist/src/guests/guest-process.js';
import { readProcessorUse } from '../dist/src/processor.js';
import { middleOf, readCost } from './guest-cost.mjs';

const SERVERS = [
  '@modelcontextprotocol/server-memory',
  '@modelcontextprotocol/server-sequential-thinking',
  '@modelcontextprotocol/server-everything',
  '@antv/mcp-server-chart',
  '@upstash/context7-mcp',
  '@openbnb/mcp-server-airbnb',
  '@magicuidesign/mcp',
  'exa-mcp-server',
  'airtable-mcp-server',
  'firecrawl-mcp',
];
/** A server reads its keys as it starts. */
const VARIABLES = { AIRTABLE_API_KEY: 'key', FIRECRAWL_API_KEY: 'key', EXA_API_KEY: 'key' };

/** Of each kind, in turns: what else runs on the machine changes. */
const SAMPLES = 5;
const REQUESTS = 50;
/** Of a guest that is to be suspended. */
const CHECKS = 200;
const CLI = fileURLToPath(new URL('../dist/lib/cli/main.cjs', import.meta.url));
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

const args = process.argv.slice(2);
const keepAt = args.indexOf('--keep');
const kept = keepAt < 0 ? undefined : args.splice(keepAt, 2)[1];
const directory = kept ?? mkdtempSync(join(tmpdir(), 'bulkhead-servers-'));
mkdirSync(directory, { recursive: true });
const environment = {
  ...process.env,
  ...VARIABLES,
  XDG_CONFIG_HOME: join(directory, 'config'),
  XDG_DATA_HOME: join(directory, 'data'),
};

const [bare] = await sampleInTurns([bareServer()]);
const sums = { first: [0, 0], memory: [0, 0], requests: [0, 0] };
for (const name of args.length === 0 ? SERVERS : args) {
  const accepted = ['separate', 'together'].map((how) => accept(name, how));
  const refused = accepted.find(({ problem }) => problem !== undefined);
  const [separate, together] =
    refused === undefined ? await sampleInTurns(accepted) : [refused, refused];
  const problem =
    separate.problem ??
    together.problem ??
    (separate.tools === together.tools ? undefined : 'the lists of tools differ');
  if (problem !== undefined) {
    console.log(`FAILS  ${name}  ${problem}`);
    process.exitCode = 1;
    continue;
  }
  const ratios = Object.entries(sums).map(([kind, sum]) => {
    const base = kind === 'requests' ? 0 : bare[kind];
    const [ours, floor] = [separate[kind] - base, together[kind] - base];
    sum[0] += ours;
    sum[1] += floor;
    return `${kind} ${(ours / floor).toFixed(2)} (${ours < floor ? '' : '+'}${(ours - floor).toFixed(1)})`;
  });
  console.log(`works  ${name.padEnd(50)} ${separate.count} tools  ${ratios.join('  ')}`);
}
for (const [kind, [ours, floor]] of Object.entries(sums)) {
  console.log(`${kind}: ${(ours / floor).toFixed(2)} times one bundle, over all servers`);
}
if (kept === undefined) rmSync(directory, { recursive: true, force: true });

/** The options of an engine for a server, or the problem that it was refused for. */
function accept(name, how) {
  const lock = join(directory, `${name.replaceAll('/', '+')}.${how}.json`);
  rmSync(lock, { force: true });
  const allow = ['--allow', 'time', '--allow', 'random', '--allow', 'network:*.example.com'];
  const variables = Object.keys(VARIABLES).flatMap((key) => ['--allow', `env:${key}`]);
  const options = ['--yes', '--min-age', '0', '--packages', how, '--lock', lock];
  try {
    execFileSync(
      process.execPath,
      [CLI, 'add', `npm:${name}`, ...options, ...allow, ...variables],
      {
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
  } catch (error) {
    return { problem: String(error.stderr ?? error).slice(0, 300) };
  }
  return {
    plugins: [],
    lockFile: lock,
    env: VARIABLES,
    storageDirectory: join(directory, 'data/bulkhead'),
  };
}

/** A server without packages that lists one tool. */
function bareServer() {
  const plugin = join(directory, 'bare');
  mkdirSync(plugin, { recursive: true });
  const manifest = {
    name: 'bare',
    version: '1.0.0',
    type: 'module',
    bin: 'server.js',
    keywords: ['mcp'],
  };
  writeFileSync(join(plugin, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(plugin, 'server.js'),
    `const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
process.stdin.on('data', (chunk) => {
  for (const line of String(chunk).split('\\n').filter(Boolean)) {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bare', version: '1' } } });
    else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'one', inputSchema: { type: 'object' } }] } });
    else if (id !== undefined) send({ id, result: {} });
  }
});`,
  );
  return { plugins: [plugin] };
}

/** What each of these engines costs, or its problem. */
async function sampleInTurns(all) {
  const samples = all.map(() => []);
  for (let n = 0; n < SAMPLES; n += 1) {
    for (const [index, options] of all.entries()) samples[index].push(await sample(options));
  }
  return samples.map((ours) => {
    const middle = (kind) => middleOf(ours.map((one) => one[kind]));
    const failed = ours.find(({ problem }) => problem !== undefined);
    if (failed !== undefined) return failed;
    const [{ tools, count }] = ours;
    return {
      tools,
      count,
      first: middle('first'),
      memory: middle('memory'),
      requests: middle('requests'),
    };
  });
}

/** Waits until a guest is suspended: before, it collects its garbage. */
async function suspended(group) {
  const pid = findInnermost(group);
  for (let n = 0; n < CHECKS; n += 1) {
    if (readProcessorUse(pid)?.stopped === true) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('this machine does not suspend guests: it needs perl or setpriv');
}

async function sample(options) {
  let pid;
  const engine = await createEngine({
    ...options,
    // Without a cache, so that a guest lists the tools.
    cacheDirectory: mkdtempSync(join(directory, 'cache-')),
    logger: SILENT,
    limits: { pool: 0 },
    onEvent: (event) => {
      if (event.type === 'guest-started') pid = event.pid;
    },
  });
  try {
    const listed = engine.catalog.list();
    const [source] = engine.mcpSources();
    const problem = engine.plugins().flatMap(({ problems }) => problems)[0]?.message;
    if (listed.length === 0 || source === undefined || pid === undefined) {
      return { problem: problem ?? 'it lists no tools' };
    }
    await suspended(pid);
    const first = readCost(pid);
    for (let n = 0; n < REQUESTS; n += 1)
      await source.list('prompts', AbortSignal.timeout(10_000)).catch(() => {});
    return {
      tools: JSON.stringify(
        listed.map(({ name, description, inputSchema }) => [name, description, inputSchema]),
      ),
      count: listed.length,
      first: first.ms,
      memory: first.kilobytes,
      requests: readCost(pid).ms - first.ms,
    };
  } finally {
    await engine.close();
  }
}
