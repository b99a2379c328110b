import { hash } from 'node:crypto';
import { canonicalJson, canonicalMembers } from './canonical.js';
import { type AuditEntry, type AuditRecord, GENESIS, type Head, isAuditRecord } from './record.js';
import { shapeOf } from './shape.js';

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
  const link = { seq: head.seq + 1, prev: head.hash, hash: '' };
  const record: AuditRecord = Object.assign(link, entry);
  const { beforeHash, afterHash } = shapeOf(entry.type);
  const before = canonicalMembers(record, beforeHash);
  // The line is the text that is hashed with one member more: it is not made twice.
  const text = `{${before.slice(1)}${canonicalMembers(record, afterHash)}}`;
  link.hash = hash('sha256', text, 'hex');
  const place = before.length;
  return { record, line: `${text.slice(0, place)},"hash":"${link.hash}"${text.slice(place)}` };
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
