import type { EventOf } from '../events.js';
import { isRecord } from '../../sandbox/wire/json.js';

/**
 * The recorded members of each type of event. The log records no other member of an event. `?`: the
 * member is optional.
 */
export const RECORDED_FIELDS = {
  'plugin-found': ['plugin', 'directory'],
  'plugin-refused': ['plugin?', 'directory', 'code', 'message'],
  'reload-failed': ['plugin?', 'code', 'message'],
  'plugin-loaded': ['plugin', 'entry', 'bundle', 'durationMs'],
  'permissions-granted': [
    'plugin',
    'entry',
    'version?',
    'bundle',
    'confinement',
    'declared',
    'granted',
  ],
  'permission-changed': ['plugin', 'change', 'permissions', 'effective'],
  'guest-started': ['plugin', 'pid'],
  'guest-ended': ['plugin', 'pid', 'cause', 'detail'],
  'call-started': ['call', 'plugin', 'tool', 'bundle', 'risk', 'parent?', 'mode?'],
  'call-ended': ['call', 'plugin', 'tool', 'outcome', 'code?', 'durationMs'],
  'call-rerun': ['call', 'plugin', 'tool', 'reason'],
  'state-lost': ['plugin', 'entry', 'cause', 'detail'],
  'approval-asked': [
    'kind',
    'call',
    'plugin',
    'tool',
    'bundle',
    'digest',
    'risk',
    'why',
    'tenant?',
    'effect?',
    'approval',
    'asker?',
    'expiresAtMs',
  ],
  'approval-answered': [
    'kind',
    'call',
    'plugin',
    'tool',
    'bundle',
    'digest',
    'risk',
    'why',
    'tenant?',
    'effect?',
    'approval',
    'verdict',
    'reason?',
    'by?',
    'approver',
    'channel',
    'waitedMs',
  ],
  'approval-given': [
    'kind',
    'call',
    'plugin',
    'tool',
    'bundle',
    'digest',
    'risk',
    'why',
    'tenant?',
    'effect?',
    'verdict',
    'approval?',
    'rule?',
    'by?',
    // Absent in logs that were written before these members existed.
    'approver?',
    'channel?',
    'waitedMs',
  ],
  'approval-refused': [
    'kind',
    'call',
    'plugin',
    'tool',
    'bundle',
    'digest',
    'risk',
    'why',
    'tenant?',
    'effect?',
    'approval',
    'code',
    'reason',
    'rule?',
    'by?',
    'approver?',
    'channel?',
    'waitedMs',
  ],
  'work-stopped': ['stopped', 'plugin?', 'tenant?', 'by?', 'reason?'],
  'work-resumed': ['stopped', 'plugin?', 'tenant?', 'by?', 'reason?'],
  'hook-ended': ['plugin', 'hook', 'outcome', 'code?', 'changed', 'durationMs'],
  'effect-undeclared': ['plugin', 'tool', 'effect', 'call?', 'among?'],
  'capability-used': [
    'plugin',
    'permission',
    'wanted',
    'call?',
    'among?',
    'outcome?',
    'bytesIn?',
    'bytesOut?',
    'durationMs?',
  ],
  'capability-denied': [
    'plugin',
    'permission',
    'wanted',
    'call?',
    'among?',
    'at?',
    'package?',
    'outcome?',
  ],
  'secret-inserted': ['plugin', 'secret', 'place', 'host', 'call?', 'among?'],
  'secret-withheld': ['plugin', 'secret', 'place', 'host', 'call?', 'among?'],
  'secret-scrubbed': ['plugin', 'secret', 'place', 'host', 'call?', 'among?'],
  alert: ['plugin', 'level', 'message'],
} as const;

/** Members that the log computes from members that it does not record. */
export const COMPUTED_FIELDS: Readonly<Partial<Record<string, readonly string[]>>> = {
  'call-started': ['input', 'inputDigest'],
  'call-ended': ['at'],
};

/** The type of the member of that name, in every record. Default: `string`. */
export const FIELD_TYPES: Readonly<Record<string, 'string' | 'number' | 'texts' | 'object'>> = {
  pid: 'number',
  changed: 'texts',
  durationMs: 'number',
  waitedMs: 'number',
  expiresAtMs: 'number',
  bytesIn: 'number',
  bytesOut: 'number',
  bytes: 'number',
  formatVersion: 'number',
  since: 'number',
  record: 'number',
  exceptions: 'texts',
  count: 'number',
  through: 'number',
  among: 'texts',
  files: 'texts',
  permissions: 'texts',
  effective: 'object',
  declared: 'object',
  granted: 'object',
};

/** One event, as the log records it. */
export type AuditEntry = { readonly atMs: number } & (RecordedEvent | OwnEntry);

/** An entry in its place in the chain. */
export type AuditRecord = AuditEntry & Link;

/** The format version of records. The engine does not append to a log of another version. */
export const AUDIT_VERSION = 2;

interface Link {
  /** The version of the format. */
  readonly v: typeof AUDIT_VERSION;
  /** From 1, without gaps. */
  readonly seq: number;
  /** Hash of the previous record; `GENESIS` in the first record. */
  readonly prev: string;
  /** sha256, in hex, over the canonical JSON of all other members. */
  readonly hash: string;
}

/** A position in the chain: the end, or one record. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const GENESIS: string = '0'.repeat(64);

/** Entries about the log itself. */
type OwnEntry =
  | {
      readonly type: 'log-opened';
      readonly pid: number;
      /** Settings of the host that weaken its defaults. */
      readonly exceptions?: readonly string[];
    }
  /** A signature of all records from `since` up to the record before this one. */
  | {
      readonly type: 'checkpoint';
      /** The id of the key. */
      readonly key: string;
      readonly since: number;
      /** Ed25519, in base64url. */
      readonly signature: string;
    }
  /** No signature vouches for the records from `since` to `through`: they came after the last one. */
  | { readonly type: 'unattested'; readonly since: number; readonly through: number }
  /** The previous log was not intact at `record`. It was renamed to `file`, and this log began. */
  | {
      readonly type: 'segment-started';
      readonly file: string;
      readonly reason: string;
      readonly record: number;
    }
  | { readonly type: 'log-closed' }
  /** The previous log had another format version. It was renamed to `file`. */
  | {
      readonly type: 'older-log-closed';
      readonly formatVersion: number;
      readonly file: string;
    }
  /** The last write was torn: `bytes` bytes after the last complete record were removed. */
  | { readonly type: 'log-repaired'; readonly bytes: number; readonly sha256: string }
  /** `count` records were dropped because the queue was full. */
  | { readonly type: 'records-lost'; readonly count: number }
  /** Files deleted because of `keepFiles`: the chain starts after record `through`. */
  | {
      readonly type: 'files-removed';
      readonly through: number;
      readonly tail: string;
      readonly files: readonly string[];
    };

type RecordedType = keyof typeof RECORDED_FIELDS;

/** The types of events that are recorded. */
export const RECORDED: readonly RecordedType[] = Object.keys(RECORDED_FIELDS).filter(isRecorded);

export function isRecorded(type: string): type is RecordedType {
  return Object.hasOwn(RECORDED_FIELDS, type);
}

type RecordedEvent = {
  [Type in RecordedType]: { readonly type: Type } & RecordedMembers<
    Type,
    (typeof RECORDED_FIELDS)[Type][number]
  > &
    ComputedMembers<Type>;
}[RecordedType];

type RecordedMembers<Type extends RecordedType, Fields extends string> = Pick<
  EventOf<Type>,
  Extract<NameOf<Fields>, keyof EventOf<Type>>
>;

type NameOf<Field extends string> = Field extends `${infer Name}?` ? Name : Field;

/** Computed members. */
type ComputedMembers<Type> = Type extends 'call-started'
  ? InputNote
  : Type extends 'call-ended'
    ? { /** The plugin's line that threw. */ readonly at?: string }
    : object;

/** What the log records of an input: nothing, its digest, or its digest and the redacted input. */
export interface InputNote {
  readonly inputDigest?: string;
  readonly input?: string;
}

const OWN_FIELDS: Readonly<Record<OwnEntry['type'], readonly string[]>> = {
  'log-opened': ['pid', 'exceptions?'],
  checkpoint: ['key', 'since', 'signature'],
  unattested: ['since', 'through'],
  'segment-started': ['file', 'reason', 'record'],
  'log-closed': [],
  'older-log-closed': ['formatVersion', 'file'],
  'log-repaired': ['bytes', 'sha256'],
  'records-lost': ['count'],
  'files-removed': ['through', 'tail', 'files'],
};

/** The members of each type of record. */
export const FIELDS: ReadonlyMap<string, readonly RecordField[]> = new Map(
  Object.entries<readonly string[]>({ ...OWN_FIELDS, ...RECORDED_FIELDS }).map(([type, fields]) => [
    type,
    fields.map(readField),
  ]),
);

interface RecordField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: 'string' | 'number' | 'texts' | 'object';
}

function readField(field: string): RecordField {
  const name = field.replace(/\?$/, '');
  return { name, isOptional: name !== field, type: FIELD_TYPES[name] ?? 'string' };
}

/** Whether a value from a file is a record: an entry with its link in the chain. */
export function isAuditRecord(value: unknown): value is AuditRecord {
  return (
    isEntry(value) &&
    'v' in value &&
    value.v === AUDIT_VERSION &&
    'seq' in value &&
    Number.isSafeInteger(value.seq) &&
    'prev' in value &&
    isHash(value.prev) &&
    'hash' in value &&
    isHash(value.hash)
  );
}

/** Whether a value is an entry of a known type whose members have their types. */
export function isEntry(value: unknown): value is AuditEntry {
  if (!isRecord(value)) return false;
  const { type, atMs } = value;
  const fields = typeof type === 'string' ? FIELDS.get(type) : undefined;
  return fields !== undefined && isMoment(atMs) && fields.every((field) => isField(field, value));
}

/** Whether a `Date` can represent the time. */
function isMoment(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= LAST_MOMENT_MS;
}

/** The last time that a `Date` can represent. */
const LAST_MOMENT_MS = 8.64e15;

function isField(
  { name, isOptional, type }: RecordField,
  record: Readonly<Record<string, unknown>>,
): boolean {
  const value = record[name];
  if (value === undefined) return isOptional;
  switch (type) {
    case 'texts':
      return Array.isArray(value) && value.every((text) => typeof text === 'string');
    case 'object':
      return isRecord(value);
    default:
      return typeof value === type;
  }
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{64}$/.test(value);
}

/** Limits of the audit log's memory and files. */
export const AUDIT_LIMITS: AuditLimits = {
  /** Queued records. If the queue is full, the log drops records and records their number. */
  maxQueuedRecords: 100_000,
  /** Memory of the queued records. Stops calls with large inputs while the disk is full. */
  maxQueuedBytes: 64 * 1024 * 1024,
  /** Size of one file. */
  maxFileBytes: 16 * 1024 * 1024,
  /** Length of one recorded input. */
  maxInputCharacters: 16 * 1024,
  /** Length of any other text of a record. */
  maxTextCharacters: 2_000,
  /** Records that a reader of `audit.stream` may be behind. A slower reader gets `AUDIT_FAILED`. */
  maxBehindRecords: 10_000,
};

type AuditLimits = Readonly<
  Record<
    | 'maxQueuedRecords'
    | 'maxQueuedBytes'
    | 'maxFileBytes'
    | 'maxInputCharacters'
    | 'maxTextCharacters'
    | 'maxBehindRecords',
    number
  >
>;
