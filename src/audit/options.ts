import { makeSqliteStore } from './database/sqlite-store.js';
import { type JsonlOptions, makeJsonlStore } from './disk/jsonl-store.js';
import { DEFAULT_REDACT, type InputPolicy } from './redact.js';
import type { AuditStore } from './store.js';

/** How an engine keeps its audit log. */
export interface AuditOptions extends JsonlOptions {
  /** The file: of SQLite's where it ends in `.db` or `.sqlite`, else lines of JSON. */
  readonly file?: string;
  /** A store of the host's own, instead of a file. */
  readonly store?: AuditStore;
  /** What is kept of inputs. Default: `digest`. */
  readonly inputs?: InputPolicy['inputs'];
  /** Names of members that are left out of full inputs. Default: those that hold secrets as a rule. */
  readonly redact?: readonly string[];
  /** When writes are made to reach the disk. Default: `second`. Calls of high risk always wait for it. */
  readonly sync?: 'always' | 'second' | 'never';
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
