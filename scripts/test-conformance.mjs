// Runs MCP's own conformance tests against `bulkhead serve --mcp`, with a server of ours behind it that has
// what the tests ask for: once as a plugin in a guest, once as a remote that a command starts. Then against an
// engine as the client of the tests' own servers.
//
//   npm run test:conformance                        all of it, every scenario
//   npm run test:conformance -- --as plugin         that one alone: plugin, remote or client
//   npm run test:conformance -- tools-call-image    these scenarios alone
//
// The tests come from npm, into a folder of the system's temporary directory, where they are kept. They
// need Node 22. What is known to fail stands below, with the reason.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchNode } from './fetch-node.mjs';

const VERSION = '0.1.16';

/** Scenarios that fail, by what the server is, with the reason. */
const KNOWN = {
  plugin: {},
  remote: {},
  client: {
    'auth/2025-03-26-oauth-metadata-backcompat':
      'the metadata of that server names another issuer than its address, which is refused',
    'auth/client-credentials-jwt': 'an extension: logins of machines are not supported',
    'auth/client-credentials-basic': 'an extension: logins of machines are not supported',
    'auth/cross-app-access-complete-flow': 'an extension: logins of machines are not supported',
  },
};

/** What the operator grants the plugin. */
const GRANT = { time: true, random: true, powers: ['elicitation', 'sampling'] };

const { values, positionals } = parseArgs({
  options: { as: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const root = resolve(import.meta.dirname, '..');
const main = join(root, 'dist/lib/cli/main.cjs');
const server = join(root, 'test/conformance/mcp-server/everything');
const node = fetchNode('22');
const tests = fetchTests();

let unexpected = 0;
for (const kind of values.as ?? ['plugin', 'remote', 'client']) {
  unexpected += await (kind === 'client' ? runClient() : runAll(kind));
}
process.exit(unexpected === 0 ? 0 : 1);

async function runAll(kind) {
  const directory = mkdtempSync(join(tmpdir(), 'bulkhead-conformance-'));
  const served = await serve(kind, directory);
  try {
    const scenarios = positionals.length > 0 ? positionals : list('--server');
    return report(kind, scenarios, (scenario) =>
      passes(['server', '--url', served.url, '--scenario', scenario]),
    );
  } finally {
    await served.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function runClient() {
  const command = `${process.execPath} ${join(root, 'scripts/conformance-client.mjs')}`;
  const scenarios = positionals.length > 0 ? positionals : list('--client');
  return report('client', scenarios, (scenario) =>
    passes(['client', '--command', command, '--scenario', scenario]),
  );
}

/** Returns the number of scenarios that fail without a known reason, or pass although they have one. */
function report(kind, scenarios, passed) {
  const failed = scenarios.filter((scenario) => !passed(scenario));
  const known = KNOWN[kind] ?? {};
  console.log(`\n${kind}: ${scenarios.length - failed.length} of ${scenarios.length} pass`);
  for (const name of failed) console.log(`  ${name}: ${known[name] ?? 'UNEXPECTED'}`);
  const mended = Object.keys(known).filter(
    (name) => scenarios.includes(name) && !failed.includes(name),
  );
  for (const name of mended) console.log(`  ${name} passes now: remove it from the list`);
  return failed.filter((name) => !(name in known)).length + mended.length;
}

async function serve(kind, directory) {
  const config = join(directory, 'bulkhead.config.json');
  const remote = {
    command: process.execPath,
    args: [join(server, 'server.js')],
    id: 'everything',
    protocol: 'legacy',
    allow: { elicitation: true, sampling: { maxTokens: 1000, maxRequests: 5 } },
  };
  writeFileSync(
    config,
    JSON.stringify({
      storageDirectory: join(directory, 'storage'),
      ...(kind === 'plugin'
        ? { plugins: [server], grant: { everything: GRANT } }
        : { plugins: [], remotes: [remote] }),
    }),
  );
  const flags = ['--mcp', '/mcp', '--port', '0', '--open-loopback', '--yes', '--tolerance', 'full'];
  const child = spawn(process.execPath, [main, 'serve', '--config', config, ...flags], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: directory },
  });
  const said = [];
  const url = await new Promise((found, failed) => {
    const read = (chunk) => {
      said.push(String(chunk));
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(said.join('')) ?? [];
      if (address !== undefined) found(`${address}/mcp`);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => failed(new Error(`serve ended: ${said.join('')}`)));
  });
  const ended = new Promise((done) => child.once('exit', done));
  const stop = () => {
    child.kill();
    return ended;
  };
  return { url, stop };
}

function list(side) {
  const { stdout } = spawnSync(node, [tests, 'list', side], { encoding: 'utf8' });
  return [...stdout.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name);
}

function passes(args) {
  const { status, stdout, stderr } = spawnSync(node, [tests, ...args], {
    encoding: 'utf8',
    timeout: 90_000,
  });
  if (status !== 0 && positionals.length > 0) console.log(stdout, stderr);
  return status === 0;
}

function fetchTests() {
  const directory = join(tmpdir(), 'bulkhead-conformance-tests', VERSION);
  const bin = join(directory, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  if (existsSync(bin)) return bin;
  mkdirSync(directory, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const wanted = `@modelcontextprotocol/conformance@${VERSION}`;
  const { status } = spawnSync('npm', ['install', ...flags, '--prefix', directory, wanted], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error(`${wanted} could not be installed`);
  return bin;
}
