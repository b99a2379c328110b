import { setTimeout } from 'node:timers/promises';
import type { Anchor } from './anchor.js';
import { unseal } from './chain.js';
import { storeOf } from './options.js';
import { type AuditFilter, matches, queryStore } from './query.js';
import type { AuditRecord } from './record.js';
import { type AuditVerdict, verify } from './verify.js';

/** A log that somebody else writes, or nobody. */
export interface AuditReader {
  query(filter?: AuditFilter): AsyncIterable<AuditRecord>;
  /** What is there and what comes, until the signal aborts. */
  follow(filter: AuditFilter, signal: AbortSignal): AsyncIterable<AuditRecord>;
  verify(anchors?: readonly Anchor[]): Promise<AuditVerdict>;
}

const POLL_MS = 250;

/** Reads the log in that file. What it asks of the file throws `AUDIT_FAILED` where it is none. */
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
    verify: (anchors = []) => verify(store.read(), anchors),
  };
}
