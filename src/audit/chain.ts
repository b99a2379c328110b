import { hash } from '../hash.js';
import { isRecord } from '../../sandbox/wire/json.js';
import { type CanonicalKey, canonicalJson, canonicalKeys, canonicalMembers } from '../canonical.js';
import {
  type AuditEntry,
  type AuditRecord,
  AUDIT_VERSION,
  FIELDS,
  GENESIS,
  type Head,
  COMPUTED_FIELDS,
  isAuditRecord,
  isHash,
} from './record.js';

/** The head of an empty chain. */
export const START: Head = { seq: 0, hash: GENESIS };

/** A record and its stored line. */
export interface Sealed {
  readonly record: AuditRecord;
  /** One line of canonical JSON, without its line break. */
  readonly line: string;
}

/** Appends an entry to the chain. */
export function seal(head: Head, entry: AuditEntry): Sealed {
  const link: { v: 2; seq: number; prev: string; hash: string } = {
    v: AUDIT_VERSION,
    seq: head.seq + 1,
    prev: head.hash,
    hash: '',
  };
  const record: AuditRecord = Object.assign(link, entry);
  const { beforeHash, afterHash } = shapeOf(entry.type);
  const before = canonicalMembers(record, beforeHash);
  // The line is the hashed text with one more member, so the text is encoded once.
  const text = `{${before.slice(1)}${canonicalMembers(record, afterHash)}}`;
  link.hash = hash('sha256', text, 'hex');
  const hashAt = before.length;
  return { record, line: `${text.slice(0, hashAt)},"hash":"${link.hash}"${text.slice(hashAt)}` };
}

/** A line that is not a record, does not match its hash, or is a valid record of format version 1. */
export type Unsound = 'unreadable' | 'changed' | 'older';

/** Reads one line. Returns the record if the line is unchanged. */
export function unseal(line: string): AuditRecord | Unsound {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return 'unreadable';
  }
  if (!isAuditRecord(value)) return isOlder(value, line) ? 'older' : 'unreadable';
  return isSound(value, line) ? value : 'changed';
}

/** The members of a line that link it to its neighbours. */
export interface Link extends Head {
  readonly prev: string;
  readonly isCheckpoint: boolean;
  /** Its writer closed the log with it. */
  readonly isClose: boolean;
}

/**
 * Checks the hash of a line without parsing it, which costs less than `unseal`. Returns `undefined`
 * if the line does not match its hash. A line that matches may still not be a record.
 */
export function linkOf(line: string): Link | undefined {
  for (const found of line.matchAll(HASH_MEMBER)) {
    const { hash: stated = '' } = found.groups ?? {};
    const rest = line.slice(found.index + found[0].length);
    if (hash('sha256', line.slice(0, found.index) + rest, 'hex') !== stated) continue;
    const { prev, seq } = LINK_MEMBERS.exec(rest)?.groups ?? {};
    if (prev === undefined) return undefined;
    const isCheckpoint = rest.includes(CHECKPOINT);
    return { seq: Number(seq), prev, hash: stated, isCheckpoint, isClose: rest.includes(CLOSE) };
  }
  return undefined;
}

const HASH_MEMBER = /,"hash":"(?<hash>[\da-f]{64})"/g;
const LINK_MEMBERS = /,"prev":"(?<prev>[\da-f]{64})".*?,"seq":(?<seq>\d{1,15})[,}]/;
const CHECKPOINT = ',"type":"checkpoint"';
const CLOSE = ',"type":"log-closed"';

function isSound(value: object, line: string): boolean {
  const { hash: stated, ...linked }: { hash?: unknown } = value;
  return stated === hash('sha256', canonicalJson(linked), 'hex') && line === canonicalJson(value);
}

/** A record of version 1 does not have `v`. */
function isOlder(value: unknown, line: string): boolean {
  return (
    isRecord(value) &&
    value['v'] === undefined &&
    Number.isSafeInteger(value['seq']) &&
    isHash(value['prev']) &&
    isSound(value, line)
  );
}

/** The members of records of one type, except `hash`, in the order of the line. */
interface Shape {
  readonly beforeHash: readonly CanonicalKey[];
  readonly afterHash: readonly CanonicalKey[];
}

function shapeOf(type: AuditEntry['type']): Shape {
  const known = SHAPES.get(type);
  if (known !== undefined) return known;
  const names = (FIELDS.get(type) ?? []).map(({ name }) => name);
  const keys = canonicalKeys([...ALWAYS, ...names, ...(COMPUTED_FIELDS[type] ?? [])]);
  const shape = {
    beforeHash: keys.filter(([key]) => key < 'hash'),
    afterHash: keys.filter(([key]) => key > 'hash'),
  };
  SHAPES.set(type, shape);
  return shape;
}

const SHAPES = new Map<string, Shape>();

const ALWAYS: readonly string[] = ['v', 'type', 'atMs', 'seq', 'prev'];
