// Checks that popular packages of pure JavaScript run inside a plugin: installs them into a
// temporary directory, makes a small plugin of each, and calls its tool in a guest.
//
//   node scripts/npm-packages.mjs [--keep DIR] [--separate] [name …]
//
// `--separate`: each package runs in a compartment of its own. The packages have the
// permissions of the plugin.
//
// Prints a table. The exit code is 0 if at least 90 % of the packages work.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages } from './npm-packages-list.mjs';
import { createEngine } from '../dist/src/index.js';
import { buildBundle } from '../dist/src/plugin/bundle/build.js';

const args = process.argv.slice(2);
const keepAt = args.indexOf('--keep');
const kept = keepAt < 0 ? undefined : args.splice(keepAt, 2)[1];
const directory = kept ?? mkdtempSync(join(tmpdir(), 'bulkhead-npm-'));
const separateAt = args.indexOf('--separate');
if (separateAt >= 0) args.splice(separateAt, 1);
const isSeparate = separateAt >= 0;
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

const rows = [];
for (const one of chosen) {
  const row = await tryPackage(one);
  rows.push(row);
  console.log(
    `${row.ok ? 'works' : 'FAILS'}  ${row.name.padEnd(22)} ${String(row.kilobytes).padStart(6)} kB ${String(row.ms).padStart(6)} ms  ${row.problem}`,
  );
}
server.close();
const working = rows.filter(({ ok }) => ok).length;
console.log(`\n${working} of ${rows.length} packages load and work.`);
if (kept === undefined) rmSync(directory, { recursive: true, force: true });
process.exitCode = working >= rows.length * 0.9 ? 0 : 1;

async function tryPackage({ name, use, grants = {}, answer: ofHosts, system = 'pandora' }) {
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
      ...(isSeparate ? { separate: { together: [] } } : {}),
    });
    const grant = isSeparate ? grantsOf(bundle, grants) : {};
    row.ms = Math.round(performance.now() - began);
    row.kilobytes = Math.round(bundle.code.length / 1024);
    const engine = await createEngine({
      plugins: [directory],
      grant: system === 'pandora' ? 'declared' : () => ({ time: true, ...grants }),
      packages: { packages: isSeparate ? { grant } : 'together' },
      cacheDirectory: join(directory, '.cache'),
      limits: { timeoutMs: 20_000 },
      logger: SILENT,
      network: {
        overrides: (grants.network ?? []).map((host) => ({
          host,
          url: `http://127.0.0.1:${server.address().port}`,
        })),
      },
    });
    const [problem] = engine.problems?.() ?? [];
    const tool = system === 'pandora' ? 'packages__use' : 'use';
    const result = await engine.call(tool, {});
    await engine.close();
    row.ok = result.value === true || result.content[0]?.text === 'true';
    if (!row.ok) row.problem = describe(result, problem);
  } catch (error) {
    row.problem = String(error.message).slice(0, 300);
  }
  return row;
}

/** What each package gets: the permissions of the plugin. */
function grantsOf({ packages: found }, grants) {
  const { random = false, network = [], env = [], storage = false } = grants;
  const all = { time: true, random, network: network.length > 0, env, storage };
  return Object.fromEntries(found.map(({ path }) => [path, all]));
}

function describe({ code, content, value }, problem) {
  if (code === undefined) return `gave ${JSON.stringify(value)}`;
  const text = content.map((block) => block.text).join(' ');
  return `${code}: ${text} ${problem?.message ?? ''}`.slice(0, process.env.STACK ? 3000 : 300);
}
