// Tests the adapters with the real packages of the frameworks, which test/frameworks installs for itself.
//
//   npm run test:adapters                 with the Node that runs this
//   npm run test:adapters -- --node 24    with that Node, fetched from npm
//   npm run test:adapters -- mastra       the files whose names contain the word
//
// A package that does not support the Node is skipped, with a line that says so.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fetchNode } from './fetch-node.mjs';

const root = resolve(import.meta.dirname, '..');
const folder = join(root, 'test/frameworks');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { node: { type: 'string' } },
});
const node = values.node === undefined ? process.execPath : fetchNode(values.node);

if (isStale()) {
  const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  run('npm', ['ci', ...flags], folder);
}
installBulkhead();
for (const project of ['tsconfig.json', 'tsconfig.ai-6.json']) {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  run(process.execPath, [tsc, '-p', join(folder, project)], root);
}
run(
  node,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder, ...positionals],
  root,
);

/** A copy, so that its imports of the frameworks are those of this folder, as in a user's project. */
function installBulkhead() {
  const installed = join(folder, 'node_modules/bulkhead');
  rmSync(installed, { recursive: true, force: true });
  for (const part of ['package.json', 'dist', 'types']) {
    cpSync(join(root, part), join(installed, part), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(installed, 'node_modules'), 'junction');
}

function isStale() {
  const read = (path) =>
    existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')).packages ?? {}) : {};
  const wanted = read(join(folder, 'package-lock.json'));
  const installed = read(join(folder, 'node_modules/.package-lock.json'));
  return Object.entries(wanted).some(
    ([path, { version, optional }]) =>
      path !== '' && optional !== true && installed[path]?.version !== version,
  );
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
