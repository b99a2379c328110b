import { isBulkheadError } from '../errors.js';
import type { BulkheadEvent, EventListener } from '../events.js';
import { type Sealed, seal } from './chain.js';
import { auditFailed } from './failure.js';
import { AUDIT_LIMITS } from './limits.js';
import { noteEvent } from './note.js';
import { type AuditEntry, type AuditRecord, type Head, isRecorded } from './record.js';
import type { InputPolicy } from './redact.js';
import type { AuditStore } from './store.js';

export interface AuditLogSpec {
  readonly store: AuditStore;
  readonly policy: InputPolicy;
  /**
   * When what was written is made to reach the disk itself. `always`: with every write; `second` (the
   * default): once a second; `never`: when the system sees fit. `flush` always waits for the disk.
   */
  readonly sync: 'always' | 'second' | 'never';
  readonly pid: number;
  /** Default: `AUDIT_LIMITS.maxWaitingRecords`. */
  readonly maxWaitingRecords?: number;
  readonly now: () => number;
  /** A write failed. What it was to write is kept, and tried again. */
  readonly onFailure: (error: Error) => void;
}

/** A log that is being written. */
export interface AuditLog {
  /** Takes an event, and returns at once: it is written when the present job is done, or within
   * ten milliseconds of the last write. */
  readonly listener: EventListener;
  /** Resolves when everything that was taken is on the disk. Throws `AUDIT_FAILED`. */
  flush(): Promise<void>;
  /** Calls `listener` with each record, once it is written. */
  onRecord(listener: (record: AuditRecord) => void): () => void;
  /** The last record that was written. */
  readonly head: Head;
  close(): Promise<void>;
}

/**
 * Records that are made and written at a time. What waits to be written outlives collections of garbage,
 * each of which copies it: a thousand at a time take a fifth more of the host's time.
 */
const BATCH = 100;
const SECOND_MS = 1_000;

/** From one write to the next while much happens: a write for every call would cost more than the call. */
const PACE_MS = 10;

/** Opens the store and begins to write. Throws `AUDIT_FAILED`. */
export async function openAuditLog(spec: AuditLogSpec): Promise<AuditLog> {
  const { store, policy, now, maxWaitingRecords = AUDIT_LIMITS.maxWaitingRecords } = spec;
  const opened = await store.open();
  const listeners = new Set<(record: AuditRecord) => void>();
  let { head } = opened;
  const waiting: (BulkheadEvent | AuditEntry)[] = [];
  let lost = 0;
  let scheduled = false;
  let closed = false;
  let syncedMs = -Infinity;
  let begunMs = -Infinity;
  let unsynced: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  const put = (entry: AuditEntry): void => void waiting.push(entry);
  const sealFirst = (count: number): Sealed[] => {
    const sealed: Sealed[] = [];
    let last: Head = head;
    for (let n = 0; n < count; n += 1) {
      const one = waiting[n];
      const entry = one === undefined || isOwn(one) ? one : noteEvent(one, policy);
      if (entry === undefined) continue;
      const next = seal(last, entry);
      sealed.push(next);
      last = next.record;
    }
    return sealed;
  };

  const drain = async (durable: boolean): Promise<void> => {
    if (lost > 0) put({ type: 'records-lost', atMs: now(), count: lost });
    lost = 0;
    // What comes meanwhile is written next time, so that this ends however much happens.
    let left = waiting.length;
    do {
      const count = Math.min(left, BATCH);
      const sealed = sealFirst(count);
      await store.append(sealed, durable && count === left);
      waiting.splice(0, count);
      left -= count;
      head = sealed.at(-1)?.record ?? head;
      for (const { record } of sealed) for (const listener of listeners) listener(record);
    } while (left > 0);
    if (durable) {
      syncedMs = now();
      clearTimeout(unsynced);
      unsynced = undefined;
    }
    await expire();
  };

  /** The log says what goes before it goes: whoever finds it gone then knows why. */
  const expire = async (): Promise<void> => {
    const expired = await store.expired();
    if (expired === undefined) return;
    const { files, last } = expired;
    const entry = seal(head, {
      type: 'files-removed',
      atMs: now(),
      through: last.seq,
      tail: last.hash,
      files: files.map((file) => file.slice(file.lastIndexOf('/') + 1)),
    });
    await store.append([entry], true);
    head = entry.record;
    await store.remove(files);
  };

  const write = (durable: boolean): Promise<void> => {
    writing = writing.catch(() => {}).then(() => drain(durable));
    return writing;
  };

  const soon = (): void => {
    if (scheduled) return;
    scheduled = true;
    const waitMs = Math.min(PACE_MS, begunMs + PACE_MS - now());
    const begin = (): void => {
      scheduled = false;
      begunMs = now();
      // Closing has written it.
      if (closed) return;
      const due =
        spec.sync === 'always' || (spec.sync === 'second' && now() - syncedMs > SECOND_MS);
      if (spec.sync === 'second' && !due) {
        unsynced ??= setTimeout(() => void attempt(true), SECOND_MS).unref();
      }
      void attempt(due);
    };
    if (waitMs > 0 && spec.sync !== 'always') setTimeout(begin, waitMs);
    else setImmediate(begin);
  };

  const attempt = (durable: boolean): Promise<void> =>
    write(durable).catch((error: unknown) => {
      spec.onFailure(error instanceof Error ? error : new Error(String(error)));
      if (!closed) setTimeout(soon, SECOND_MS).unref();
    });

  put({ type: 'log-opened', atMs: now(), pid: spec.pid });
  if (opened.torn !== undefined) put({ type: 'log-repaired', atMs: now(), ...opened.torn });
  await write(true);

  return {
    listener: (event) => {
      if (closed || !isRecorded(event.type)) return;
      if (waiting.length >= maxWaitingRecords) lost += 1;
      else waiting.push(event);
      soon();
    },
    flush: async () => {
      if (closed) throw auditFailed(store.name, 'is closed');
      await write(true).catch((error: unknown) => {
        throw isBulkheadError(error) ? error : auditFailed(store.name, 'cannot be written', error);
      });
    },
    onRecord: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get head() {
      return head;
    },
    close: async () => {
      if (closed) return;
      closed = true;
      clearTimeout(unsynced);
      put({ type: 'log-closed', atMs: now() });
      await attempt(true);
      await store.close();
    },
  };
}

function isOwn(one: BulkheadEvent | AuditEntry): one is AuditEntry {
  return !isRecorded(one.type);
}
