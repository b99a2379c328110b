import type { EventOf } from '../events.js';
import { hasMembers, type Members } from './canonical.js';
import { FIELD_TYPES, KEPT } from './fields.js';

/** One thing that happened, as the log keeps it. */
export type AuditEntry = { readonly atMs: number } & (KeptEvent | OwnEntry);

/** An entry in its place in the chain. */
export type AuditRecord = AuditEntry & Link;

export interface Link {
  /** From 1, without gaps. */
  readonly seq: number;
  /** Hash of the record before; of the first, `GENESIS`. */
  readonly prev: string;
  /** sha256, in hex, over the canonical JSON of everything else in the record. */
  readonly hash: string;
}

/** Where a chain ends, or a record of it stands. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

export const GENESIS: string = '0'.repeat(64);

/** What the log has to say of itself. */
type OwnEntry =
  | { readonly type: 'log-opened'; readonly pid: number }
  | { readonly type: 'log-closed' }
  /** The last write had been cut short: so many bytes after the last whole record were taken off. */
  | { readonly type: 'log-repaired'; readonly bytes: number; readonly sha256: string }
  /** So many records came faster than they could be written, and were dropped. */
  | { readonly type: 'records-lost'; readonly count: number }
  /** Files that the operator keeps no longer: the chain begins after record `through`. */
  | {
      readonly type: 'files-removed';
      readonly through: number;
      readonly tail: string;
      readonly files: readonly string[];
    };

export type RecordedType = keyof typeof KEPT;

/** The types of events that are recorded. */
export const RECORDED: readonly RecordedType[] = Object.keys(KEPT).filter(isRecorded);

export function isRecorded(type: string): type is RecordedType {
  return Object.hasOwn(KEPT, type);
}

type KeptEvent = {
  [Type in RecordedType]: { readonly type: Type } & KeptOf<Type, (typeof KEPT)[Type][number]> &
    More<Type>;
}[RecordedType];

type KeptOf<Type extends RecordedType, Fields extends string> = Pick<
  EventOf<Type>,
  Extract<NameOf<Fields>, keyof EventOf<Type>>
>;

type NameOf<Field extends string> = Field extends `${infer Name}?` ? Name : Field;

/** What is told of an event besides its own members. */
type More<Type> = Type extends 'call-started'
  ? InputNote
  : Type extends 'call-ended'
    ? { /** The plugin's line that threw. */ readonly at?: string }
    : object;

/** What the log says of an input: nothing, its digest, or the input with names on a list left out. */
export interface InputNote {
  readonly inputDigest?: string;
  readonly input?: string;
}

const OWN: Readonly<Record<OwnEntry['type'], readonly string[]>> = {
  'log-opened': ['pid'],
  'log-closed': [],
  'log-repaired': ['bytes', 'sha256'],
  'records-lost': ['count'],
  'files-removed': ['through', 'tail', 'files'],
};

/** The members that a record of each type has. */
export const FIELDS: ReadonlyMap<string, readonly RecordField[]> = new Map(
  Object.entries<readonly string[]>({ ...OWN, ...KEPT }).map(([type, fields]) => [
    type,
    fields.map(readField),
  ]),
);

export interface RecordField {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: 'string' | 'number' | 'texts' | 'object';
}

function readField(field: string): RecordField {
  const name = field.replace(/\?$/, '');
  return { name, isOptional: name !== field, type: FIELD_TYPES[name] ?? 'string' };
}

/** Whether a value out of a file is a record: an entry with its place in the chain. */
export function isAuditRecord(value: unknown): value is AuditRecord {
  return (
    isEntry(value) &&
    'seq' in value &&
    Number.isSafeInteger(value.seq) &&
    'prev' in value &&
    isHash(value.prev) &&
    'hash' in value &&
    isHash(value.hash)
  );
}

/** Whether a value is an entry: of a known type, each member of its kind. */
export function isEntry(value: unknown): value is AuditEntry {
  if (!hasMembers(value)) return false;
  const { type, atMs } = value;
  const fields = typeof type === 'string' ? FIELDS.get(type) : undefined;
  return fields !== undefined && isMoment(atMs) && fields.every((field) => isField(field, value));
}

/** A time that there is: whoever shows it makes a date of it. */
function isMoment(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) <= LAST_MOMENT_MS;
}

/** The last of what a date can be. */
const LAST_MOMENT_MS = 8.64e15;

function isField({ name, isOptional, type }: RecordField, record: Members): boolean {
  const value = record[name];
  if (value === undefined) return isOptional;
  switch (type) {
    case 'texts':
      return Array.isArray(value) && value.every((text) => typeof text === 'string');
    case 'object':
      return hasMembers(value);
    default:
      return typeof value === type;
  }
}

export function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f]{64}$/.test(value);
}
