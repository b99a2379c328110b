import { createHash } from 'node:crypto';
import { canonicalJson } from './canonical.js';
import { type AuditEntry, type AuditRecord, GENESIS, type Head, isAuditRecord } from './record.js';

/** Before the first record. */
export const START: Head = { seq: 0, hash: GENESIS };

/** A record as the text that is kept, with what a store may want to find it by. */
export interface Sealed {
  readonly record: AuditRecord;
  /** One line of canonical JSON, without its line break. */
  readonly line: string;
}

/** Puts an entry at the end of the chain. */
export function seal(head: Head, entry: AuditEntry): Sealed {
  const linked = { ...entry, seq: head.seq + 1, prev: head.hash };
  const record: AuditRecord = { ...linked, hash: hashOf(linked) };
  return { record, line: canonicalJson(record) };
}

/** A line that is no record, or not the one that its hash was made of. */
export type Unsound = 'unreadable' | 'changed';

/** Reads one line: the record, if it still is what was written. */
export function unseal(line: string): AuditRecord | Unsound {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'unreadable';
  }
  if (!isAuditRecord(value)) return 'unreadable';
  const { hash, ...linked } = value;
  return hash === hashOf(linked) && line === canonicalJson(value) ? value : 'changed';
}

function hashOf(linked: object): string {
  return createHash('sha256').update(canonicalJson(linked)).digest('hex');
}
