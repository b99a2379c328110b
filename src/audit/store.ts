import type { Sealed } from './chain.js';
import type { Head } from './record.js';

/** Where a log is kept. It keeps lines in their order, and knows nothing of what they say. */
export interface AuditStore {
  /** For messages: a path. */
  readonly name: string;
  /**
   * Takes the right to write, which one process has at a time, and takes off what a write that was
   * cut short left behind. Throws `AUDIT_FAILED`, also where the last record is not sound.
   */
  open(): Promise<Opened>;
  /**
   * Adds records, all of them or none. `durable`: with all that came before, they have reached the
   * disk itself when this resolves. Throws `AUDIT_FAILED`; the same records may then be given again.
   */
  append(records: readonly Sealed[], durable: boolean): Promise<void>;
  /** What is kept longer than the operator wants; `remove` it once the log says so. */
  expired(): Promise<Expired | undefined>;
  remove(files: readonly string[]): Promise<void>;
  /** All lines in their order, or those from somewhere before what the hint asks for. */
  read(hint?: ReadHint): AsyncIterable<StoredLine>;
  close(): Promise<void>;
}

export interface Opened {
  readonly head: Head;
  readonly torn: { readonly bytes: number; readonly sha256: string } | undefined;
}

export interface Expired {
  readonly files: readonly string[];
  /** The last record in them. */
  readonly last: Head;
}

export interface ReadHint {
  /** Records up to this one may be left out. */
  readonly afterSeq?: number;
}

export interface StoredLine {
  readonly line: string;
  /** The file, and the number of the line in it, from 1. */
  readonly file: string;
  readonly number: number;
  /** The line has no end: it is still being written, or its writer died. */
  readonly torn?: true;
}
