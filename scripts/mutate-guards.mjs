// Takes each guard of test/guards out of a copy of this tree, one at a time, and runs the tests that
// have to fail then. Prints the first test that failed. There are two copies, for two processors.
//
//   npm run test:guards                 all guards; slow
//   npm run test:guards -- redirect     guards whose id, description or file contains each word
//   npm run test:guards -- frame-length-cap redirect-cap     the guards with these ids
//
// Nothing in this directory changes. The tests run with a Node that connects to this machine only.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transform } from 'esbuild';

import { readAnchors } from '../test/guards/anchors.js';
import { withoutGuard } from '../test/guards/mutate.js';
import { guards } from '../test/guards/table.js';

const root = resolve(import.meta.dirname, '..');
const { positionals: words } = parseArgs({ allowPositionals: true });
const anchors = new Map(readAnchors(root).map((anchor) => [anchor.id, anchor]));
const byId = words.every((word) => anchors.has(word)) && words.length > 0;
const selected = guards
  .map((guard) => ({ ...guard, anchor: anchors.get(guard.id) }))
  .filter(({ id, stops, anchor }) => {
    if (anchor === undefined) throw new Error(`no source has the comment "// guard: ${id}"`);
    if (byId) return words.includes(id);
    const text = `${id} ${stops} ${anchor.file}`.toLowerCase();
    return words.every((word) => text.includes(word.toLowerCase()));
  });
if (selected.length === 0) throw new Error(`no guard matches ${words.join(' ')}`);

/** A run of tests that hangs without a guard counts as noticed. The tests of a guard take minutes at most. */
const MAX_RUN_MS = 15 * 60_000;
const LEFT_OUT = new Set(['node_modules', '.git', '.cache', 'coverage']);
const PREFIX = 'bulkhead-guards-';
const LEFT = new RegExp(`^${PREFIX}(\\d+)-`);
removeLeftCopies();
const copies = [];
/** Process groups that run. They write to the copies. */
const groups = new Set();
process.on('exit', () => {
  for (const pid of groups) killGroup(pid);
  for (const copy of copies) removeCopy(copy);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
copies.push(makeCopy(), makeCopy());

// A test that already fails with every guard in place would seem to notice each missing guard.
// Retries: one flaky failure is no reason to stop.
const before = await run(
  copies[0],
  [...new Set(selected.flatMap(({ tests }) => tests))],
  ['--retry=2'],
);
if (before.length > 0)
  throw new Error(`these tests fail with every guard in place:\n${before.join('\n')}`);

const waiting = [...selected];
const unnoticed = [];
let done = 0;
await Promise.all(
  copies.map(async (copy) => {
    for (let guard = waiting.shift(); guard !== undefined; guard = waiting.shift()) {
      const [first] = await failuresWithout(copy, guard);
      done += 1;
      if (first === undefined) unnoticed.push(guard.id);
      console.log(`${first ? 'ok  ' : 'FAIL'} ${done}/${selected.length}  ${guard.id}`);
      console.log(`       ${first ?? `no test failed in ${guard.tests.join(', ')}`}`);
    }
  }),
);

console.log(`\n${selected.length} guards taken out, ${unnoticed.length} unnoticed`);
for (const id of unnoticed) console.log(`  ${id}`);
process.exit(unnoticed.length === 0 ? 0 : 1);

/** Removes the copies of runs that were killed. The name of a copy has the process id of its run. */
function removeLeftCopies() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = LEFT.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) removeCopy(join(tmpdir(), name));
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A process that was killed just before may still write for a moment. */
function removeCopy(copy) {
  rmSync(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !LEFT_OUT.has(basename(path)) || path.includes('/fixtures/'),
  });
  symlinkSync(resolve(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The tests that fail without this guard. */
async function failuresWithout(copy, { anchor, mutation, tests }) {
  try {
    await put(copy, anchor.file, withoutGuard(anchor, mutation));
    return await run(copy, tests, ['--bail=1', '--maxWorkers=1'], MAX_RUN_MS);
  } finally {
    await put(copy, anchor.file, anchor.source);
  }
}

/** Writes a source file and its build output. Without a type check: a missing guard may break types. */
async function put(copy, file, source) {
  writeFileSync(join(copy, file), source);
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'es2023' });
  writeFileSync(join(copy, 'dist', file.replace(/\.ts$/, '.js')), code);
  if (file.startsWith('sandbox/')) await node(copy, 'scripts/build-guest.mjs');
  if (file.startsWith('src/schema/')) await node(copy, 'scripts/build-validator.mjs');
  // The command line runs from the bundled package.
  await node(copy, 'scripts/build-package.mjs');
}

/** The tests that fail. Without `maxMs` the run may take as long as it needs. */
async function run(copy, tests, options, maxMs) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const finished = await node(
    copy,
    'node_modules/vitest/vitest.mjs',
    ['run', ...tests, ...options, '--reporter=json', `--outputFile=${report}`],
    { NODE_OPTIONS: `--require ${join(copy, 'scripts/loopback-only.cjs')} --no-deprecation` },
    maxMs,
  );
  if (!finished) return [`${tests.join(', ')}: stopped after ${maxMs / 60_000} minutes`];
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(copy.length + 1);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // A file that does not even load proves nothing about its tests.
    if (status === 'failed' && failed.length === 0) throw new Error(`${file}: ${message}`);
    return failed.map(({ fullName }) => `${file}: ${fullName}`);
  });
}

/** Runs a script in a process group of its own, and kills the group after `maxMs`. False if killed. */
async function node(copy, script, args = [], env = {}, maxMs) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: copy,
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
  const pid = Number(child.pid);
  groups.add(pid);
  let finished = true;
  const timer = setTimeout(
    () => {
      finished = false;
      killGroup(pid);
    },
    maxMs ?? 2 ** 31 - 1,
  );
  await once(child, 'close');
  groups.delete(pid);
  clearTimeout(timer);
  return finished;
}
