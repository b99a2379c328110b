import type { PublicKey } from '../keys/signing-key.js';
import type { AuditLog } from './log.js';
import { type AuditStore, auditFailed } from './store.js';
import { AUDIT_LIMITS, type AuditRecord, type Head } from './record.js';
import { type AuditFilter, matches, queryStore } from './query.js';
import { type AuditVerdict, verify, type VerifyOptions } from './verify.js';

/** An engine's audit log. */
export interface Audit {
  /** The matching records so far, in order. */
  query(filter?: AuditFilter): AsyncIterable<AuditRecord>;
  /** The matching records from now on, until the signal aborts or the log closes. */
  stream(
    filter?: AuditFilter,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<AuditRecord>;
  /** Resolves when every event so far is on the disk. Throws `AUDIT_FAILED`. */
  flush(): Promise<void>;
  /**
   * Signs all records if the log is signed, then checks the whole log. Counts unattested records. `anchors`:
   * records that it must still contain. Default: none.
   */
  verify(options?: Pick<VerifyOptions, 'anchors'>): Promise<AuditVerdict>;
  /** The last record, as `bulkhead audit anchor` prints it. */
  readonly head: Head;
}

export function makeAudit(
  store: AuditStore,
  log: AuditLog,
  closed: Promise<void>,
  keys?: readonly PublicKey[],
): Audit {
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
      // Subscribes now, and not when the caller first requests a record.
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
              throw auditFailed(
                store.name,
                `grows faster than the reader of stream() reads it: the reader is ${AUDIT_LIMITS.maxBehindRecords} records behind`,
              );
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
    verify: async ({ anchors } = {}) => {
      await log.checkpoint().catch(() => {});
      return verify(store.read(), {
        ...(keys === undefined ? {} : { keys, acceptUnattested: true }),
        ...(anchors === undefined ? {} : { anchors }),
      });
    },
    get head() {
      return log.head;
    },
  };
}
