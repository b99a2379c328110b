import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Effort } from '../measure.js';
import type { Comparison } from './comparison.js';
import { peers } from './group.js';
import { findNode } from './nodes.js';

type Name = keyof typeof peers;

/**
 * All peers on the same work: on this Node, and those that it is too old for on another, with the
 * floor and ours measured there too. Each Node starts again: what this process has used and freed
 * would hide what a peer inside it takes.
 */
export async function comparePeers(
  effort: Effort,
  node: string | undefined,
): Promise<readonly Comparison[]> {
  const names = Object.keys(peers) as Name[];
  const newer = names.filter((name) => needs(name) > ownMajor);
  const here = await compareOn(
    process.execPath,
    names.filter((name) => !newer.includes(name)),
    effort,
  );
  if (newer.length === 0) return here;
  const least = Math.max(...newer.map(needs));
  const other = node ?? findNode(least);
  if (other === undefined) {
    return absent(newer, `it needs Node ${least} or later; npm run bench -- --install gets one`);
  }
  return [...here, ...(await compareOn(other, ['floor', 'bulkhead', ...newer], effort))];
}

const ownMajor = Number.parseInt(process.versions.node, 10);

function needs(name: Name): number {
  return peers[name].fromNode ?? 0;
}

async function compareOn(
  node: string,
  names: readonly Name[],
  effort: Effort,
): Promise<readonly Comparison[]> {
  try {
    const { stdout } = await promisify(execFile)(
      node,
      [
        '--import',
        import.meta.resolve('tsx'),
        fileURLToPath(new URL('main.ts', import.meta.url)),
        JSON.stringify({ names, effort }),
      ],
      { maxBuffer: 1e7 },
    );
    return JSON.parse(stdout) as readonly Comparison[];
  } catch (error) {
    return absent(
      names,
      error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error),
    );
  }
}

function absent(names: readonly Name[], why: string): readonly Comparison[] {
  return names.map((name): Comparison => {
    const { name: label, isolation, ownProcess } = peers[name];
    return { name: label, node: '–', isolation, ownProcess, isFloor: false, missing: why };
  });
}
