// Proves that popular packages of pure JavaScript run inside a plugin: installs them into a
// temporary directory, bundles each into a tiny plugin, evaluates it under SES and really uses it.
//
//   node scripts/npm-packages.mjs [--keep DIR] [name …]
//
// Prints a table; the exit code is 0 where at least nine in ten work.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packages } from './npm-packages-list.mjs';
import { buildBundle } from '../dist/src/plugin/bundle/build.js';

const args = process.argv.slice(2);
const keepAt = args.indexOf('--keep');
const kept = keepAt < 0 ? undefined : args.splice(keepAt, 2)[1];
const directory = kept ?? mkdtempSync(join(tmpdir(), 'bulkhead-npm-'));
const chosen = packages.filter(({ name }) => args.length === 0 || args.includes(name));

if (!existsSync(join(directory, 'node_modules'))) {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  const names = [...new Set(packages.flatMap(({ name, install = name }) => install))];
  execFileSync(
    'npm',
    ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...names],
    { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] },
  );
}

const rows = [];
for (const one of chosen) {
  const row = await tryPackage(one);
  rows.push(row);
  console.log(
    `${row.ok ? 'works' : 'FAILS'}  ${row.name.padEnd(22)} ${String(row.kilobytes).padStart(6)} kB ${String(row.ms).padStart(6)} ms  ${row.problem}`,
  );
}
const working = rows.filter(({ ok }) => ok).length;
console.log(`\n${working} of ${rows.length} packages load and work.`);
if (kept === undefined) rmSync(directory, { recursive: true, force: true });
process.exitCode = working >= rows.length * 0.9 ? 0 : 1;

async function tryPackage({ name, use, grants = {} }) {
  const began = performance.now();
  const row = { name, ok: false, kilobytes: 0, ms: 0, problem: '' };
  try {
    const { bundle } = await buildBundle({ directory, entry: { source: use } });
    row.ms = Math.round(performance.now() - began);
    row.kilobytes = Math.round(bundle.code.length / 1024);
    const answer = await runUnderSes({
      code: bundle.code,
      call: 'run',
      writable: bundle.assignedGlobals,
      time: true,
      ...grants,
    });
    row.ok = answer.ok && answer.value === true;
    if (!row.ok)
      row.problem = answer.ok ? `gave ${JSON.stringify(answer.value)}` : describe(answer);
  } catch (error) {
    row.problem = String(error.message).slice(0, 300);
  }
  return row;
}

function describe({ name, message, stack }) {
  const frames = process.env.STACK ? `\n${stack}` : '';
  return `${name}: ${String(message).slice(0, 200)}${frames}`;
}

function runUnderSes(job) {
  const script = new URL('../test/plugin/bundle/ses-run.mjs', import.meta.url).pathname;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'pipe'] });
    const deadline = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const output = [];
    const problems = [];
    child.stdout.on('data', (bytes) => output.push(bytes));
    child.stderr.on('data', (bytes) => problems.push(bytes));
    child.stdin.end(`${JSON.stringify(job)}\n`);
    child.on('close', () => {
      clearTimeout(deadline);
      if (output.length > 0) resolve(JSON.parse(Buffer.concat(output).toString()));
      else reject(new Error(Buffer.concat(problems).toString().slice(0, 500) || 'no answer'));
    });
  });
}
