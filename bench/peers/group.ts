import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Effort } from '../measure.js';
import { floors } from '../plugins/echo/src/compute.js';
import { BIG, SMALL } from '../subject.js';
import type { Comparison } from './comparison.js';
import { isolatedVm } from './isolated-vm.js';
import { measurePeers } from './measure.js';
import { bulkhead, floor } from './ours.js';
import type { Peer } from './peer.js';
import { quickjs } from './quickjs.js';
import { snaps } from './snaps.js';
import { worker } from './worker.js';

/** Everybody there is, by a name for the command line of another Node. */
export const peers = { floor, bulkhead, isolatedVm, worker, quickjs, snaps } as const;

/** Measures those that answer on this Node, and says of the others why not. */
export async function compareHere(
  names: readonly (keyof typeof peers)[],
  effort: Effort,
): Promise<readonly Comparison[]> {
  const tried = [];
  for (const name of names) tried.push({ peer: peers[name], why: await whyNot(peers[name]) });
  const able = tried.filter(({ why }) => why === undefined).map(({ peer }) => peer);
  const figures = await measurePeers(able, effort);
  return tried.map(({ peer, why }): Comparison => {
    const { isolation, ownProcess, isFloor = false } = peer;
    const measured = figures[able.indexOf(peer)];
    return {
      name: nameWithVersion(peer),
      node: process.versions.node,
      isolation,
      ownProcess,
      isFloor,
      ...(measured !== undefined && { figures: measured }),
      ...(why !== undefined && { missing: why }),
    };
  });
}

const EXPECTED = [
  ['echo', SMALL, '{"ok":true,"len":0,"city":"Paris"}'],
  ['echo', BIG, '{"ok":true,"len":100000,"city":"Paris"}'],
  ['fib', { times: 1 }, '196418'],
  ['floors', { times: 1 }, String(floors())],
] as const;

async function whyNot(peer: Peer): Promise<string | undefined> {
  try {
    for (const [work, input, expected] of EXPECTED) {
      const opened = await peer.open(work);
      const answer = JSON.stringify(await opened.call(input));
      await opened.close();
      if (answer !== expected) return `what it answers to ${work} is ${answer}`;
    }
    return undefined;
  } catch (error) {
    if (peer.package !== undefined && findPackage(peer.package, peer.beside) === undefined) {
      return 'not installed; npm run bench -- --install gets it';
    }
    return error instanceof Error ? error.message.split('\n')[0] : String(error);
  }
}

function nameWithVersion({ name, package: from, beside }: Peer): string {
  const version = from === undefined ? undefined : findPackage(from, beside)?.version;
  return version === undefined ? name : `${name} ${version}`;
}

/** What a package says of itself, wherever it is found from there. */
function findPackage(
  name: string,
  beside: string = import.meta.url,
): { readonly version: string } | undefined {
  const folders = createRequire(beside).resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      return JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as {
        readonly version: string;
      };
    } catch {
      // Not in this one.
    }
  }
  return undefined;
}
