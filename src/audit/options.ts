import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { BulkheadError } from '../errors.js';
import { unseal } from './chain.js';
import { makeSqliteStore } from './database/sqlite-store.js';
import type { Signer } from './checkpoint.js';
import type { AnchorTarget } from './disk/anchor-targets.js';
import { type JsonlOptions, makeJsonlStore } from './disk/jsonl-store.js';
import { makeCommandSigner, makeKeySigner } from './disk/signer.js';
import { DEFAULT_REDACT, type InputPolicy } from './note.js';
import { type AuditFilter, matches, queryStore } from './query.js';
import type { AuditRecord } from './record.js';
import type { AuditStore } from './store.js';
import { type AuditVerdict, type VerifyOptions, verify } from './verify.js';

/** Where and how an engine writes its audit log. */
export interface AuditOptions extends JsonlOptions {
  /** The file: an SQLite database if it ends in `.db`, `.sqlite` or `.sqlite3`, else lines of JSON. */
  readonly file?: string;
  /** The host's own store, instead of a file. */
  readonly store?: AuditStore;
  /** What the log records of inputs. Default: `digest`. */
  readonly inputs?: InputPolicy['inputs'];
  /** Members with these names are left out of full inputs. Default: common names of secrets. */
  readonly redact?: readonly string[];
  /** When writes are flushed to the disk. Default: `second`. A high-risk call always waits for the flush. */
  readonly sync?: 'always' | 'second' | 'never';
  /**
   * The file of an Ed25519 private key (`bulkhead keys new sign`), of mode 0600 and outside the log's
   * directory. The log then signs its records. Default: none.
   */
  readonly signKey?: string;
  /**
   * A program and its arguments that sign instead of `signKey`, e.g. with a hardware key: it reads the
   * text on standard input and prints the Ed25519 signature in base64. Needs `publicKey`. Default: none.
   */
  readonly signCommand?: readonly string[];
  /** With `signCommand`: the file of the public key. */
  readonly publicKey?: string;
  /** Records between two signatures, and between two anchors; both also happen at the close. Default: 1,000. */
  readonly checkpointEvery?: number;
  /** Second places that receive the number and the hash of the last record. Default: none. */
  readonly anchors?: readonly AnchorTarget[];
  /** Settings of the host that weaken its defaults. The first record and reports name them. Default: none. */
  readonly exceptions?: readonly string[];
}

/** What signs the log, if anything does. Throws `INVALID_KEY` and `INVALID_OPTIONS`. */
export function signerOf({
  file,
  signKey,
  signCommand,
  publicKey,
}: AuditOptions): Signer | undefined {
  if (signKey !== undefined && signCommand !== undefined) {
    throw invalid('signCommand', 'and audit.signKey are both set. Remove one of them');
  }
  if (signKey !== undefined) {
    return makeKeySigner(signKey, file === undefined ? undefined : dirname(file));
  }
  if (signCommand === undefined) return undefined;
  if (publicKey === undefined) {
    throw invalid('publicKey', 'is missing. Name the file of the public key of audit.signCommand');
  }
  return makeCommandSigner(signCommand, publicKey);
}

/** Throws `INVALID_OPTIONS`. */
export function checkpointEveryOf({ checkpointEvery = 1_000 }: AuditOptions): number {
  if (Number.isSafeInteger(checkpointEvery) && checkpointEvery >= 1) return checkpointEvery;
  throw invalid('checkpointEvery', `is ${checkpointEvery}. Use a whole number from 1 on`);
}

function invalid(option: string, why: string): BulkheadError {
  return new BulkheadError('INVALID_OPTIONS', `The option audit.${option} ${why}.`, {
    option: `audit.${option}`,
  });
}

export function storeOf(path: string, options: JsonlOptions = {}): AuditStore {
  return /\.(?:db|sqlite3?)$/.test(path) ? makeSqliteStore(path) : makeJsonlStore(path, options);
}

export function policyOf({
  inputs = 'digest',
  redact = DEFAULT_REDACT,
}: AuditOptions): InputPolicy {
  return { inputs, redact };
}

/** Reads a log that another process may write. */
export interface AuditReader {
  query(filter?: AuditFilter): AsyncIterable<AuditRecord>;
  /** The existing records, then new ones, until the signal aborts. */
  follow(filter: AuditFilter, signal: AbortSignal): AsyncIterable<AuditRecord>;
  verify(options?: VerifyOptions): Promise<AuditVerdict>;
}

const POLL_MS = 250;

/** Reads the log in that file. Its functions throw `AUDIT_FAILED` if the file is not a log. */
export function readAudit(path: string): AuditReader {
  const store = storeOf(path);
  return {
    query: (filter = {}) => queryStore(store, filter),
    follow: async function* follow(filter, signal) {
      let afterSeq = filter.afterSeq ?? 0;
      while (!signal.aborted) {
        for await (const { line } of store.read({ afterSeq })) {
          const record = unseal(line);
          if (typeof record === 'string' || record.seq <= afterSeq) continue;
          afterSeq = record.seq;
          if (matches(record, filter)) yield record;
        }
        await setTimeout(POLL_MS, undefined, { signal }).catch(() => {});
      }
    },
    verify: (options) => verify(store.read(), options),
  };
}
