import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fetchNode } from '../../scripts/fetch-node.mjs';
import { peers } from './group.js';
import { NEWER } from './nodes.js';

/** Gets the peers from npm, and a Node for those that this one is too old for. None runs a script. */
export function installPeers(): void {
  const directory = fileURLToPath(new URL('..', import.meta.url));
  const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', ['install', ...flags, '--prefix', directory], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.exitCode = 1;
    return;
  }
  const own = Number.parseInt(process.versions.node, 10);
  const tooNew = Object.values(peers).some(
    ({ fromNode = 0 }: { fromNode?: number }) => fromNode > own,
  );
  if (tooNew) console.log(`Node ${NEWER}: ${fetchNode(NEWER)}`);
}
