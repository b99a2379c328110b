import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The binary of that version, as the npm package `node` gets it, without its install script. */
export function fetchNode(version) {
  const binary = nodeBinary(version);
  if (existsSync(binary)) return binary;
  const directory = folderOf(version);
  mkdirSync(directory, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync(
    'npm',
    ['install', ...flags, '--prefix', directory, `${packageName}@${version}`],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if (status !== 0 || !existsSync(binary))
    throw new Error(`Node ${version} could not be installed`);
  return binary;
}

/** Where that binary is, if it was fetched before: a folder of the system's temporary directory. */
export function nodeBinary(version) {
  return join(folderOf(version), 'node_modules', packageName, 'bin', 'node');
}

function folderOf(version) {
  return join(tmpdir(), 'bulkhead-nodes', version);
}

const packageName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
