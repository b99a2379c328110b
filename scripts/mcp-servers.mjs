// Measures what separate packages cost in published MCP servers: accepts each from npm twice, as `bulkhead add` does it,
// with its packages separate and as one bundle, and starts both in guests.
//
//   node scripts/mcp-servers.mjs [--keep DIR] [name …]
//
// Prints for each the processor time of the guest's main thread until its tools are listed, its private memory, and the
// processor time of 50 requests, as times of one bundle. What a guest of a server without packages takes is subtracted.
// The lists of tools must be equal. Needs the registry of npm. Linux only.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEngine } from '../dist/src/index.js';
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

const SAMPLES = 3;
const REQUESTS = 50;
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

const bare = await measureBare();
const sums = { first: [0, 0], memory: [0, 0], requests: [0, 0] };
for (const name of args.length === 0 ? SERVERS : args) {
  const [separate, together] = [await measure(name, 'separate'), await measure(name, 'together')];
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

async function measure(name, how) {
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
  return sample({
    plugins: [],
    lockFile: lock,
    env: VARIABLES,
    storageDirectory: join(directory, 'data/bulkhead'),
  });
}

/** A server without packages that lists one tool. */
async function measureBare() {
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
  return sample({ plugins: [plugin] });
}

async function sample(options) {
  const samples = [];
  let tools = '';
  let count = 0;
  while (samples.length < SAMPLES) {
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
    const listed = engine.catalog.list();
    count = listed.length;
    tools = JSON.stringify(
      listed.map(({ name, description, inputSchema }) => [name, description, inputSchema]),
    );
    const [source] = engine.mcpSources();
    const problem = engine.plugins().flatMap(({ problems }) => problems)[0]?.message;
    if (count === 0 || source === undefined || pid === undefined) {
      await engine.close();
      return { problem: problem ?? 'it lists no tools' };
    }
    const first = readCost(pid);
    for (let n = 0; n < REQUESTS; n += 1)
      await source.list('prompts', AbortSignal.timeout(10_000)).catch(() => {});
    samples.push({
      first: first.ms,
      memory: first.kilobytes,
      requests: readCost(pid).ms - first.ms,
    });
    await engine.close();
  }
  const middle = (kind) => middleOf(samples.map((one) => one[kind]));
  return {
    tools,
    count,
    first: middle('first'),
    memory: middle('memory'),
    requests: middle('requests'),
  };
}
