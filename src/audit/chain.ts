import { hash } from 'node:crypto';
import { canonicalJson, canonicalMembers, textOfMembers } from './canonical.js';
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
  // The line is the text that was hashed with one member more: it is not made twice.
  const members = canonicalMembers(linked);
  const digest = hash('sha256', textOfMembers(members), 'hex');
  const after = members.findIndex(([key]) => key > 'hash');
  members.splice(after, 0, ['hash', `"hash":"${digest}"`]);
  return { record: { ...linked, hash: digest }, line: textOfMembers(members) };
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
  const { hash: told, ...linked } = value;
  return told === hashOf(linked) && line === canonicalJson(value) ? value : 'changed';
}

function hashOf(linked: object): string {
  return hash('sha256', canonicalJson(linked), 'hex');
}
