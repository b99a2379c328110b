// Runs the tests that depend on Node itself on several of its versions, and prints a table:
//
//   npm run test:nodes                         22, 24 and 26, and the Node that runs this
//   npm run test:nodes -- --node 24            that one alone (may be given several times)
//   npm run test:nodes -- test/guests          these tests alone
//
// Each Node comes from npm, into a folder of the system's temporary directory, where it is kept.
// Guests are started by the Node that runs their host, so they follow it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchNode } from './fetch-node.mjs';

const TESTS = [
  'escape',
  'conformance',
  'engine',
  'guests',
  'cli',
  'sandbox',
  'brokers',
  'schema',
  'npm',
];

const { values, positionals } = parseArgs({
  options: { node: { type: 'string', multiple: true } },
  allowPositionals: true,
});
const versions = values.node ?? [process.versions.node, '22', '24', '26'];
const tests = positionals.length > 0 ? positionals : TESTS.map((name) => `test/${name}`);
const existing = tests.filter((path) => existsSync(path));

const rows = versions.map(run);
console.log(
  `\n${'node'.padEnd(10)} ${'passed'.padStart(7)} ${'failed'.padStart(7)} ${'skipped'.padStart(7)} ${'seconds'.padStart(8)}`,
);
for (const { version, passed, failed, skipped, seconds } of rows) {
  const counts = [passed, failed, skipped].map((count) => String(count).padStart(7)).join(' ');
  console.log(`${version.padEnd(10)} ${counts} ${seconds.toFixed(0).padStart(8)}`);
}
for (const { version, names } of rows) {
  for (const name of names) console.log(`${version}: ${name}`);
}
process.exit(rows.every(({ ok }) => ok) ? 0 : 1);

function run(wanted) {
  const node = wanted === process.versions.node ? process.execPath : fetchNode(wanted);
  const version = spawnSync(node, ['-p', 'process.versions.node'], {
    encoding: 'utf8',
  }).stdout.trim();
  const report = join(tmpdir(), `bulkhead-report-${process.pid}-${version}.json`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...existing];
  console.log(`\n── Node ${version}`);
  const began = performance.now();
  const { status } = spawnSync(
    node,
    [...args, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    // `npx vitest` in a test would find another Node by its PATH.
    { stdio: 'inherit', env: { ...process.env, PATH: `${join(node, '..')}:${process.env.PATH}` } },
  );
  const seconds = (performance.now() - began) / 1000;
  const result = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
  rmSync(report, { force: true });
  return {
    version,
    ok: status === 0,
    passed: result?.numPassedTests ?? 0,
    failed: result?.numFailedTests ?? 'none ran',
    skipped: (result?.numPendingTests ?? 0) + (result?.numTodoTests ?? 0),
    seconds,
    names: (result?.testResults ?? []).flatMap(failuresOf),
  };
}

function failuresOf({ name, status, message, assertionResults }) {
  const file = name.slice(process.cwd().length + 1);
  const failed = assertionResults.filter((test) => test.status === 'failed');
  if (status === 'failed' && failed.length === 0) return [`${file}: ${message.split('\n')[0]}`];
  return failed.map((test) => `${file}: ${test.fullName}`);
}
