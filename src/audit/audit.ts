import type { AuditLog } from './log.js';
import { auditFailed } from './failure.js';
import { AUDIT_LIMITS } from './limits.js';
import { type AuditFilter, matches, queryStore } from './query.js';
import type { AuditRecord, Head } from './record.js';
import type { AuditStore } from './store.js';
import { type AuditVerdict, verify } from './verify.js';

/** An engine's audit log. */
export interface Audit {
  /** What was recorded so far, in order, as far as it fits. */
  query(filter?: AuditFilter): AsyncIterable<AuditRecord>;
  /** What is recorded from now on, as far as it fits, until the signal aborts or the log closes. */
  stream(
    filter?: AuditFilter,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<AuditRecord>;
  /** Resolves when everything that has happened is on the disk. Throws `AUDIT_FAILED`. */
  flush(): Promise<void>;
  /** The whole log, checked. */
  verify(): Promise<AuditVerdict>;
  /** The last record: what `bulkhead audit anchor` prints. */
  readonly head: Head;
}

export function makeAudit(store: AuditStore, log: AuditLog, closed: Promise<void>): Audit {
  return {
    query: async function* query(filter = {}) {
      await log.flush().catch(() => {});
      yield* queryStore(store, filter);
    },
    stream: (filter = {}, { signal } = {}) => {
      const waiting: AuditRecord[] = [];
      let wake = (): void => {};
      let ended = false;
      const end = (): void => {
        ended = true;
        stop();
        wake();
      };
      // From this very moment on, and not from when it is first asked for a record.
      const stop = log.onRecord((record) => {
        if (matches(record, filter)) waiting.push(record);
        wake();
      });
      signal?.addEventListener('abort', end, { once: true });
      void closed.then(end);
      return (async function* follow() {
        try {
          for (;;) {
            if (waiting.length > AUDIT_LIMITS.maxBehindRecords)
              throw auditFailed(store.name, 'grows faster than it is read');
            const record = waiting.shift();
            if (record !== undefined) yield record;
            else if (ended || signal?.aborted === true) return;
            else
              await new Promise<void>((resolve) => {
                wake = resolve;
              });
          }
        } finally {
          end();
        }
      })();
    },
    flush: () => log.flush(),
    verify: async () => {
      await log.flush().catch(() => {});
      return verify(store.read());
    },
    get head() {
      return log.head;
    },
  };
}
