// Takes each guard of test/guards out of a copy of this tree, one at a time, and runs the tests that
// are to notice. Prints which test did, and writes the table to docs/guards.md.
//
//   npm run test:guards                 all of them, which takes some minutes
//   npm run test:guards -- redirect     those whose sentence or file says so; writes no table
//
// The copy is a directory of its own: nothing here is changed but docs/guards.md. What a missing
// guard lets out does not get far: the tests run with a Node that connects to this machine alone.
import { spawnSync } from 'node:child_process';
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
const copy = mkdtempSync(join(tmpdir(), 'bulkhead-guards-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));

const LEFT = new Set(['node_modules', '.git', '.cache', 'coverage']);
cpSync(root, copy, {
  recursive: true,
  verbatimSymlinks: true,
  filter: (path) => !LEFT.has(basename(path)) || path.includes('/fixtures/'),
});
symlinkSync(resolve(root, 'node_modules'), join(copy, 'node_modules'));

const selected = Object.entries(guards).map(([area, all]) => [area, all.filter(wanted)]);
const total = selected.reduce((sum, [, all]) => sum + all.length, 0);

// A test that fails as it is would notice every missing guard.
const before = run(
  [...new Set(selected.flatMap(([, all]) => all.flatMap(({ tests }) => tests)))],
  [],
);
if (before.length > 0)
  throw new Error(`these fail with every guard in place:\n${before.join('\n')}`);

const rows = [];
for (const [area, all] of selected) {
  for (const guard of all) {
    const died = await without(guard);
    rows.push({ area, guard, died });
    const mark = died.length > 0 ? 'ok  ' : 'FAIL';
    console.log(`${mark} ${rows.length}/${total}  ${guard.stops}`);
    console.log(
      `       ${died.length > 0 ? died[0] : `nothing died in ${guard.tests.join(', ')}`}`,
    );
  }
}

const survived = rows.filter(({ died }) => died.length === 0);
console.log(`\n${rows.length} guards taken out, ${survived.length} of them unnoticed`);
if (positionals.length === 0) writeFileSync(join(root, 'docs/guards.md'), table());
process.exit(survived.length === 0 ? 0 : 1);

/** The tests that fail without this guard. */
async function without({ file, code, without: nothing, tests }) {
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  try {
    await put(
      file,
      source.replace(code, () => nothing),
    );
    return run(tests, ['--bail=1']);
  } finally {
    await put(file, source);
  }
}

/** Writes a source and what is built from it. Types are not asked: a missing guard may miss one. */
async function put(file, source) {
  writeFileSync(join(copy, file), source);
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'es2023' });
  writeFileSync(join(copy, 'dist', file.replace(/\.ts$/, '.js')), code);
  if (file.startsWith('sandbox/')) node('scripts/build-guest.mjs');
  if (file.startsWith('src/schema/')) node('scripts/build-validator.mjs');
}

function run(tests, options) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  node(
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

function node(script, args = [], env = {}) {
  return spawnSync(process.execPath, [script, ...args], {
    cwd: copy,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
}

function table() {
  const cell = (text) => text.replaceAll('|', '\\|');
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
