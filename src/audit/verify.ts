import { BulkheadError } from '../errors.js';
import type { PublicKey } from '../keys/signing-key.js';
import { type Unsound, unseal } from './chain.js';
import { isSignedBy } from './checkpoint.js';
import { type AuditRecord, GENESIS, type Head, isHash } from './record.js';
import { OLDER, type StoredLine } from './store.js';

/**
 * The last record of a chain at some time. Store anchors in a place that the log's writer cannot
 * change, such as git. A log that still has an anchored record has every record before it.
 */
export type Anchor = Head;

const PREFIX = 'bulkhead-audit';

/** `bulkhead-audit:1234:9f86d0…` */
export function formatAnchor({ seq, hash }: Anchor): string {
  return `${PREFIX}:${seq}:${hash}`;
}

/** In a file of anchors: the lines before it are anchors of another log, which was not intact. */
export const SEGMENT_LINE = 'bulkhead-audit:segment';

/**
 * Reads every anchor in a text, in order; of a file with several segments, those of the last one.
 * Without anchors it returns `otherwise`, or throws `INVALID_OPTIONS`.
 */
export function parseAnchors(text: string, otherwise?: Anchor[]): Anchor[] {
  const segment = text.slice(Math.max(0, text.lastIndexOf(SEGMENT_LINE)));
  const found = [...segment.matchAll(/\bbulkhead-audit:(?<seq>\d{1,15}):(?<hash>[\da-f]{64})\b/g)];
  const anchors = found.flatMap(({ groups }) => {
    const hash = groups?.['hash'];
    return isHash(hash) ? [{ seq: Number(groups?.['seq']), hash }] : [];
  });
  if (anchors.length > 0) return anchors;
  if (otherwise !== undefined) return otherwise;
  throw new BulkheadError(
    'INVALID_OPTIONS',
    `The text has no anchor. Use an anchor as \`bulkhead audit anchor\` prints it: ${PREFIX}:<number>:<hash>.`,
    { option: 'anchor' },
  );
}

export interface VerifyOptions {
  /** Records that were anchored. Default: none. */
  readonly anchors?: readonly Anchor[];
  /** Public keys: each record must be signed by one of them. Default: signatures are not checked. */
  readonly keys?: readonly PublicKey[];
  /** With `keys`: accepts records that no signature vouches for, and counts them. Default: false. */
  readonly acceptUnattested?: boolean;
}

/** The result of `verify`. */
export type AuditVerdict = Intact | Broken;

interface Intact {
  readonly ok: true;
  readonly records: number;
  readonly head: Head;
  /** Anchors that were compared with a record, and are equal. */
  readonly anchored: number;
  /** Records that a signature of one of the keys vouches for; absent without keys. */
  readonly attested?: number;
  /** Records that no signature vouches for; absent without keys. */
  readonly unattested?: number;
  /** Remarks that do not make the log invalid. */
  readonly notes: readonly string[];
}

/** The first place where the chain breaks, and the kind of change that explains it. */
interface Broken {
  readonly ok: false;
  readonly kind:
    | 'unreadable'
    | 'changed'
    | 'older'
    | 'missing'
    | 'reordered'
    | 'replaced'
    | 'truncated'
    /** A checkpoint's signature is not by its key, or not for these records. */
    | 'forged'
    /** No signature vouches for records. */
    | 'unattested';
  /** The record that was expected there. */
  readonly seq: number;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  /** Valid records before it. */
  readonly records: number;
}

/**
 * Reads a whole log and finds the first place where it was changed. The hashes alone do not show that
 * records are missing at the end, that records were appended, or that the whole log was replaced.
 * Anchors show the first and the last, and signatures the last two.
 */
export async function verify(
  lines: AsyncIterable<StoredLine>,
  { anchors = [], keys, acceptUnattested = false }: VerifyOptions = {},
): Promise<AuditVerdict> {
  let last: AuditRecord | undefined;
  let begin: AuditRecord | undefined;
  let place: StoredLine = { line: '', file: '', number: 0 };
  let removed: Head = { seq: 0, hash: GENESIS };
  let records = 0;
  let anchored = 0;
  let closedAt = -1;
  const notes: string[] = [];
  /** Records that open a log that was not closed. */
  const unclosed: number[] = [];
  const signatures = keys === undefined ? undefined : makeSignatureCheck(keys);

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
          `${at(stored)} is an incomplete record: a process is writing it, or died while it wrote it`,
        );
        break;
      }
      return broken(record, expected, UNSOUND[record]);
    }
    if (begin === undefined) {
      begin = record;
      removed = { seq: record.seq - 1, hash: record.prev };
      // An anchor before the first record can only be compared with the hash of the removed tail.
      const before = anchors.find(
        ({ seq, hash }) => seq < record.seq && !same(removed, { seq, hash }),
      );
      // guard: audit-anchor-before-first-record
      if (before !== undefined) {
        return broken(
          'missing',
          before.seq,
          `record ${before.seq} was anchored, and the log begins with record ${record.seq}, so the anchor cannot be compared`,
        );
      }
      anchored += anchors.filter(({ seq }) => seq < record.seq).length;
    } else if (record.seq !== expected) {
      return record.seq > expected
        ? broken('missing', expected, `${span(expected, record.seq - 1)} missing`)
        : broken(
            'reordered',
            expected,
            `record ${record.seq} is in the place of record ${expected}`,
          );
    }
    // guard: audit-chain-compared
    else if (record.prev !== last?.hash) {
      return broken(
        'replaced',
        record.seq,
        `record ${record.seq} does not contain the hash of record ${record.seq - 1} before it`,
      );
    }
    const here = anchors.filter(({ seq }) => seq === record.seq);
    // guard: audit-anchor-compared
    if (here.some(({ hash }) => hash !== record.hash)) {
      return broken('replaced', record.seq, `record ${record.seq} differs from its anchor`);
    }
    anchored += here.length;
    const forged = signatures?.add(record);
    if (forged !== undefined) return broken('forged', record.seq, forged);
    const note = noteOf(record);
    if (note !== undefined) notes.push(note);
    if (
      record.type === 'files-removed' &&
      same(removed, { seq: record.through, hash: record.tail })
    ) {
      notes.push(`${span(1, record.through)} deleted, as record ${record.seq} says`);
      removed = { seq: 0, hash: GENESIS };
    }
    if (record.type === 'log-opened' && last !== undefined && closedAt < 0)
      unclosed.push(record.seq);
    // A checkpoint may follow.
    if (record.type === 'log-closed') closedAt = record.seq;
    if (record.type !== 'log-closed' && record.type !== 'checkpoint') closedAt = -1;
    last = record;
    records += 1;
  }

  if (removed.seq !== 0 || removed.hash !== GENESIS) {
    place = { ...place, number: 1 };
    return broken('missing', 1, `${span(1, removed.seq)} missing at the beginning`);
  }
  const end = last?.seq ?? 0;
  const missing = Math.max(...anchors.map(({ seq }) => seq), 0);
  if (missing > end) {
    return broken(
      'truncated',
      end + 1,
      `${span(end + 1, missing)} missing at the end: record ${missing} was anchored`,
    );
  }
  const attestation = signatures?.end(records, end);
  // guard: audit-unattested-refused
  if (attestation?.first !== undefined && !acceptUnattested) {
    return broken('unattested', attestation.first, attestation.message);
  }
  if (attestation !== undefined && attestation.unattested > 0) notes.push(attestation.message);
  if (unclosed.length > 0) {
    notes.push(
      `the log was opened ${unclosed.length} times without a close before it, first by record ${unclosed[0]}: a writer died, or records were cut off`,
    );
  }
  if (last !== undefined && closedAt < 0) {
    notes.push(
      'the log was not closed: a process is writing it, its writer died, or records were cut off',
    );
  }
  return {
    ok: true,
    records,
    head: { seq: end, hash: last?.hash ?? GENESIS },
    anchored,
    ...(attestation === undefined
      ? {}
      : { attested: attestation.attested, unattested: attestation.unattested }),
    notes,
  };
}

function noteOf(record: AuditRecord): string | undefined {
  switch (record.type) {
    case 'log-repaired':
      return `${record.bytes} bytes of a torn write were removed before record ${record.seq}`;
    case 'records-lost':
      return `${record.count} records were lost before record ${record.seq}`;
    case 'segment-started':
      return `this log began because the one before it was not intact at record ${record.record} (${record.reason}); that log is ${record.file}`;
    case 'log-opened':
      return record.exceptions === undefined
        ? undefined
        : `record ${record.seq} opened the log with ${record.exceptions.join(', ')}`;
    default:
      return undefined;
  }
}

interface Attestation {
  readonly attested: number;
  readonly unattested: number;
  /** The first record that no signature vouches for. */
  readonly first?: number;
  readonly message: string;
}

/** Collects the records that the signatures vouch for. */
function makeSignatureCheck(keys: readonly PublicKey[]): {
  /** Returns why a checkpoint is forged. */
  add(record: AuditRecord): string | undefined;
  end(records: number, lastSeq: number): Attestation;
} {
  /** Records that no signature vouches for yet, from this one on. */
  let pending: number | undefined;
  let attested = 0;
  const gaps: [from: number, to: number][] = [];
  const otherKeys = new Set<string>();
  return {
    add: (record) => {
      pending ??= record.seq;
      if (record.type !== 'checkpoint') return undefined;
      const signed = isSignedBy(record, keys);
      if (signed === undefined) otherKeys.add(record.key);
      // guard: audit-signature-verified
      if (signed === false) {
        return `the signature of checkpoint ${record.seq} is not by its key ${record.key}, or not for the records before it`;
      }
      if (signed !== true) return undefined;
      // guard: audit-later-signature-vouches-for-its-own
      const from = Math.max(pending, record.since);
      if (from > pending) gaps.push([pending, from - 1]);
      attested += record.seq - from + 1;
      pending = record.seq + 1;
      return undefined;
    },
    end: (records, lastSeq) => {
      if (pending !== undefined && pending <= lastSeq) gaps.push([pending, lastSeq]);
      const unattested = records - attested;
      const [gap] = gaps;
      if (gap === undefined && records > 0) return { attested, unattested, message: '' };
      const [first] = gap ?? [1];
      const spans = gaps.map((one) => (one[0] === one[1] ? `${one[0]}` : `${one[0]}–${one[1]}`));
      const others =
        otherKeys.size === 0
          ? ''
          : `. The log also has checkpoints of ${[...otherKeys].join(', ')}, whose public key was not given`;
      const message =
        records === 0
          ? 'the log is empty, so no record is signed'
          : `no signature vouches for ${unattested} of ${records} records (${spans.slice(0, 20).join(', ')}). An engine signs when it closes, and every checkpointEvery records${others}`;
      return { attested, unattested, first, message };
    },
  };
}

function same(a: Head, b: Head): boolean {
  return a.seq === b.seq && a.hash === b.hash;
}

const UNSOUND: Readonly<Record<Unsound, string>> = {
  unreadable: 'the line is not a record',
  changed: 'the record does not match its hash',
  older: `the log ${OLDER}`,
};

function span(first: number, last: number): string {
  return first === last ? `record ${first} is` : `records ${first} to ${last} are`;
}

function at({ file, number }: StoredLine): string {
  return `line ${number} of ${file}`;
}
