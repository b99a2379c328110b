// Takes each guard of test/guards out of a copy of this tree, one at a time, and runs the tests that
// are to notice. There is a copy for each of two processors. Prints which test did, and writes the table to docs/guards.md.
//
//   npm run test:guards                 all of them, which takes some minutes
//   npm run test:guards -- redirect     those whose sentence or file says so; writes no table
//
// The copies are directories of their own: nothing here is changed but docs/guards.md. What a missing
// guard lets out does not get far: the tests run with a Node that connects to this machine alone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { transform } from 'esbuild';

import { guards } from '../test/guards/table.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const wanted = ({ stops, file }) =>
  positionals.every((word) => `${stops} ${file}`.toLowerCase().includes(word.toLowerCase()));

const root = resolve(import.meta.dirname, '..');
const LEFT = new Set(['node_modules', '.git', '.cache', 'coverage']);
const copies = [makeCopy(), makeCopy()];
process.on('exit', () => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));

const selected = Object.entries(guards).map(([area, all]) => [area, all.filter(wanted)]);
const total = selected.reduce((sum, [, all]) => sum + all.length, 0);

// A test that fails as it is would notice every missing guard.
const before = await run(
  copies[0],
  [...new Set(selected.flatMap(([, all]) => all.flatMap(({ tests }) => tests)))],
  // One that fails once in a while is not told from one that noticed; but it is no reason to stop.
  ['--retry=2'],
);
if (before.length > 0)
  throw new Error(`these fail with every guard in place:\n${before.join('\n')}`);

const rows = selected.flatMap(([area, all]) => all.map((guard) => ({ area, guard, died: [] })));
const waiting = [...rows];
let done = 0;
await Promise.all(
  copies.map(async (copy) => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const { guard } = row;
      row.died = await without(copy, guard);
      done += 1;
      const [first = `nothing died in ${guard.tests.join(', ')}`] = row.died;
      console.log(`${row.died.length > 0 ? 'ok  ' : 'FAIL'} ${done}/${total}  ${guard.stops}`);
      console.log(`       ${first}`);
    }
  }),
);

const survived = rows.filter(({ died }) => died.length === 0);
console.log(`\n${rows.length} guards taken out, ${survived.length} of them unnoticed`);
if (positionals.length === 0) writeFileSync(join(root, 'docs/guards.md'), table());
process.exit(survived.length === 0 ? 0 : 1);

function makeCopy() {
  const copy = mkdtempSync(join(tmpdir(), 'bulkhead-guards-'));
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !LEFT.has(basename(path)) || path.includes('/fixtures/'),
  });
  symlinkSync(resolve(root, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The tests that fail without this guard. */
async function without(copy, { file, code, without: nothing, tests }) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  try {
    await put(
      copy,
      file,
      source.replace(code, () => nothing),
    );
    return await run(copy, tests, ['--bail=1', '--maxWorkers=1']);
  } finally {
    await put(copy, file, source);
  }
}

/** Writes a source and what is built from it. Types are not asked: a missing guard may miss one. */
async function put(copy, file, source) {
  writeFileSync(join(copy, file), source);
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'es2023' });
  writeFileSync(join(copy, 'dist', file.replace(/\.ts$/, '.js')), code);
  if (file.startsWith('sandbox/')) await node(copy, 'scripts/build-guest.mjs');
  if (file.startsWith('src/schema/')) await node(copy, 'scripts/build-validator.mjs');
}

async function run(copy, tests, options) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  await node(
    copy,
    'node_modules/vitest/vitest.mjs',
    ['run', ...tests, ...options, '--reporter=json', `--outputFile=${report}`],
    { NODE_OPTIONS: `--require ${join(copy, 'scripts/loopback-only.cjs')} --no-deprecation` },
  );
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = name.slice(copy.length + 1);
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // A file that does not even load proves nothing about its tests.
    if (status === 'failed' && failed.length === 0) throw new Error(`${file}: ${message}`);
    return failed.map(({ fullName }) => `${file}: ${fullName}`);
  });
}

async function node(copy, script, args = [], env = {}) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: copy,
    env: { ...process.env, ...env },
    stdio: 'ignore',
  });
  await once(child, 'close');
}

function table() {
  // Bare, such a name would be a bold one without its underscores.
  const cell = (text) => text.replaceAll('|', '\\|').replaceAll(/\b__\w+?__\b/g, '`$&`');
  const of = ({ guard, died }) => {
    const [file, ...title] = (died[0] ?? '').split(': ');
    const noticed = died.length === 0 ? '**nothing**' : `\`${file}\`: ${cell(title.join(': '))}`;
    return `| ${cell(guard.stops)} | \`${guard.file}\` | ${noticed} |`;
  };
  const areas = [...new Set(rows.map(({ area }) => area))].map((area) =>
    [
      `## ${area}`,
      '',
      '| Without its guard there is | The guard is in | The test that failed without it |',
      '| --- | --- | --- |',
      ...rows.filter((row) => row.area === area).map(of),
    ].join('\n'),
  );
  return `# Guards, and the tests that notice when they are gone

Each row was taken out of a copy of the product, alone, and the tests named in \`test/guards\` were run: \`npm run test:guards\` does it again, and writes this file. ${rows.length} guards, ${survived.length} unnoticed.

${areas.join('\n\n')}
`;
}
