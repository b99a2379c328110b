import { unseal } from './chain.js';
import { type Anchor } from './anchor.js';
import { type AuditRecord, GENESIS, type Head } from './record.js';
import type { StoredLine } from './store.js';

/** What a log is found to be. */
export type AuditVerdict = Intact | Broken;

export interface Intact {
  readonly ok: true;
  readonly records: number;
  readonly head: Head;
  /** What is in order and worth knowing all the same. */
  readonly notes: readonly string[];
}

/** Where the chain first breaks, and what that says was done. */
export interface Broken {
  readonly ok: false;
  readonly kind: 'unreadable' | 'changed' | 'missing' | 'reordered' | 'replaced' | 'truncated';
  /** The record that was expected there. */
  readonly seq: number;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** Records before it, all of them sound. */
  readonly records: number;
}

/**
 * Reads a whole log, and finds the first place where it is not what was written. What a chain of
 * hashes alone cannot show is that records are missing at its end, or that all of it was written
 * anew: for that, give it what `anchor` said at some time before, kept where the log's writer
 * cannot write.
 */
export async function verify(
  lines: AsyncIterable<StoredLine>,
  anchors: readonly Anchor[] = [],
): Promise<AuditVerdict> {
  let last: AuditRecord | undefined;
  let begin: AuditRecord | undefined;
  let place: StoredLine = { line: '', file: '', number: 0 };
  let removed: Head = { seq: 0, hash: GENESIS };
  let records = 0;
  const notes: string[] = [];
  const open = new Map(anchors.map((anchor) => [anchor.seq, anchor]));

  const broken = (kind: Broken['kind'], seq: number, message: string): Broken => ({
    ok: false,
    kind,
    seq,
    file: place.file,
    line: place.number,
    message,
    records,
  });

  for await (const stored of lines) {
    const expected = (last?.seq ?? 0) + 1;
    place = stored;
    const record = unseal(stored.line);
    if (typeof record === 'string') {
      if (stored.torn === true) {
        notes.push(
          `${at(stored)} is the part of a record: it is being written, or its writer died`,
        );
        break;
      }
      return broken(record, expected, tellUnsound(record));
    }
    if (begin === undefined) {
      begin = record;
      removed = { seq: record.seq - 1, hash: record.prev };
    } else if (record.seq !== expected) {
      return record.seq > expected
        ? broken('missing', expected, `${span(expected, record.seq - 1)} missing`)
        : broken('reordered', expected, `record ${record.seq} stands where ${expected} belongs`);
    } else if (record.prev !== last?.hash) {
      return broken(
        'replaced',
        record.seq,
        `record ${record.seq} was written after another record ${record.seq - 1} than stands before it`,
      );
    }
    const anchor = open.get(record.seq);
    open.delete(record.seq);
    if (anchor !== undefined && anchor.hash !== record.hash) {
      return broken(
        'replaced',
        record.seq,
        `record ${record.seq} is not the one that was anchored`,
      );
    }
    if (record.type === 'log-repaired') {
      notes.push(
        `${record.bytes} bytes of a torn write were taken off before record ${record.seq}`,
      );
    }
    if (record.type === 'records-lost')
      notes.push(`${record.count} records were lost before record ${record.seq}`);
    if (
      record.type === 'files-removed' &&
      same(removed, { seq: record.through, hash: record.tail })
    ) {
      notes.push(`${span(1, record.through)} kept no longer, as record ${record.seq} says`);
      removed = { seq: 0, hash: GENESIS };
    }
    last = record;
    records += 1;
  }

  if (removed.seq !== 0 || removed.hash !== GENESIS) {
    place = { ...place, number: 1 };
    return broken('missing', 1, `${span(1, removed.seq)} missing at the beginning`);
  }
  const beyond = [...open.keys()]
    .filter((seq) => seq > (last?.seq ?? 0))
    .toSorted((a, b) => b - a)[0];
  if (beyond !== undefined) {
    return broken(
      'truncated',
      (last?.seq ?? 0) + 1,
      `${span((last?.seq ?? 0) + 1, beyond)} missing at the end: record ${beyond} was anchored`,
    );
  }
  if (last !== undefined && last.type !== 'log-closed') {
    notes.push('its end is open: it is being written, its writer died, or records were cut off');
  }
  return { ok: true, records, head: { seq: last?.seq ?? 0, hash: last?.hash ?? GENESIS }, notes };
}

function same(a: Head, b: Head): boolean {
  return a.seq === b.seq && a.hash === b.hash;
}

function tellUnsound(kind: 'unreadable' | 'changed'): string {
  return kind === 'unreadable' ? 'the line is no record' : 'the record does not fit its own hash';
}

function span(first: number, last: number): string {
  return first === last ? `record ${first} is` : `records ${first} to ${last} are`;
}

function at({ file, number }: StoredLine): string {
  return `line ${number} of ${file}`;
}
