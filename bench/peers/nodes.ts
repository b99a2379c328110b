import { existsSync } from 'node:fs';
import { nodeBinary } from '../../scripts/fetch-node.mjs';

/** Newest first: what `--install` gets, then what runs of the tests on several Nodes have left. */
const KNOWN = ['26', '24'] as const;

/** A Node of that major version or a later one, among those that npm has brought here. */
export function findNode(least: number): string | undefined {
  return KNOWN.filter((version) => Number(version) >= least)
    .map(nodeBinary)
    .find((binary) => existsSync(binary));
}

/** The version that is fetched if this Node is too old for a peer. */
export const NEWER = KNOWN[0];
