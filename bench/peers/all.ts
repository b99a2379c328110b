import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Effort } from '../measure.js';
import type { Comparison } from './comparison.js';
import { compareHere, peers } from './group.js';
import { findNode } from './nodes.js';

type Name = keyof typeof peers;

/**
 * All peers on the same work: on this Node, and those that it is too old for on another, with the
 * floor and ours measured there too.
 */
export async function comparePeers(
  effort: Effort,
  node: string | undefined,
): Promise<readonly Comparison[]> {
  const names = Object.keys(peers) as Name[];
  const newer = names.filter((name) => needs(name) > ownMajor);
  const here = await compareHere(
    names.filter((name) => !newer.includes(name)),
    effort,
  );
  return newer.length === 0 ? here : [...here, ...(await compareElsewhere(newer, effort, node))];
}

const ownMajor = Number.parseInt(process.versions.node, 10);

function needs(name: Name): number {
  return peers[name].fromNode ?? 0;
}

async function compareElsewhere(
  names: readonly Name[],
  effort: Effort,
  given: string | undefined,
): Promise<readonly Comparison[]> {
  const least = Math.max(...names.map(needs));
  const node = given ?? findNode(least);
  try {
    if (node === undefined) {
      throw new Error(`it needs Node ${least} or later; npm run bench -- --install gets one`);
    }
    const { stdout } = await promisify(execFile)(
      node,
      [
        '--import',
        import.meta.resolve('tsx'),
        fileURLToPath(new URL('elsewhere.ts', import.meta.url)),
        JSON.stringify({ names: ['floor', 'bulkhead', ...names], effort }),
      ],
      { maxBuffer: 1e7 },
    );
    return JSON.parse(stdout) as readonly Comparison[];
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return names.map((name): Comparison => {
      const { name: told, holds, ownProcess } = peers[name];
      return { name: told, node: '–', holds, ownProcess, isFloor: false, missing: why ?? '' };
    });
  }
}
