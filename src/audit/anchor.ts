import { BulkheadError } from '../errors.js';
import { type Head, isHash } from './record.js';

/**
 * Where a chain ended at some time, to be kept where whoever writes the log cannot write: in another
 * machine's log, in git, on paper. A log that still has that record has all before it.
 */
export type Anchor = Head;

const PREFIX = 'bulkhead-audit';

/** `bulkhead-audit:1234:9f86d0…` */
export function formatAnchor({ seq, hash }: Anchor): string {
  return `${PREFIX}:${seq}:${hash}`;
}

/** Reads every anchor in a text. Throws `INVALID_OPTIONS` where there is none. */
export function parseAnchors(text: string): Anchor[] {
  const found = [...text.matchAll(/\bbulkhead-audit:(?<seq>\d{1,15}):(?<hash>[\da-f]{64})\b/g)];
  const anchors = found.flatMap(({ groups }) => {
    const hash = groups?.['hash'];
    return isHash(hash) ? [{ seq: Number(groups?.['seq']), hash }] : [];
  });
  if (anchors.length > 0) return anchors;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `There is no anchor in it. One looks as \`bulkhead audit anchor\` prints it: ${PREFIX}:<number>:<hash>.`,
    { option: 'anchor' },
  );
}
